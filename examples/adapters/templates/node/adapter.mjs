#!/usr/bin/env node
/**
 * Connects a parser of heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template to copy, for Node 18 or later.
 *
 * Three places are yours: HELLO says what your parser reports, REFUSALS how it refuses a dump, and parse() calls it. answer() and
 * main() serve the protocol.
 * The rest is an example, a small parser of HPROF; throw it away.
 */
import { readFileSync, writeFileSync } from "node:fs";

const HELLO = {
  name: "template",
  version: "1",
  language: "JavaScript",
  reads: ["hprof"],
  levels: ["listing"],
  // These facets are required: where a dump has the fact, the listing must have it. Begin with few.
  facets: [
    "address", "kind", "class-name", "superclass", "class", "array-length", "field-values", "elements", "references",
    "primitive-contents", "record-order",
    // "string-text": the text of a java.lang.String, if your parser works it out: `text: "abc"` in the line of the object.
  ],
  // What a listing can leave out, such as "primitive-contents". `check --large` then asks for listings of dumps of gigabytes
  // without it: declare it if your parser does not hold such a dump. The example holds it whole.
  omits: [],
  // What your parser makes of bytes that can be read in several ways; these are the defaults.
  readings: { "hprof.array-class": "array", "hprof.repeated-string": "last" },
  // Defaults, too. "0/1": every boolean but 0 is reported as 1. "text": bytes of names that are not valid text are replaced.
  // ["classes"]: there are lines of classes without a record. true: see parse(). `heapsmith adapter readings` lists more.
  booleans: "bytes",
  names: "bytes",
  makes_up: [],
  heaps: false,
};
// Classes of errors by which your parser refuses a dump, as it documents it, such as [RangeError]; and where their messages have
// the offset of the bad bytes: with it, the report names the rule that the dump breaks.
const REFUSALS = [];
const OFFSET = /\b(?:at|offset)[ =]+(0x[0-9a-f]+|\d+)/i;
// By facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing.
const COUNTS = {
  roots: "roots", "root-objects": "roots", threads: "threads", "stack-traces": "traces", regions: "regions", events: "events",
};
const WARNINGS = []; // texts that go into the answer: what your parser reports as wrong with a dump although it goes on

/** The parser does not take this dump: a message, and the offset of the bytes, if known. */
class Refusal extends Error {
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}
/** This dump cannot be put to the parser; the text says why. */
class Skip extends Error {}

/**
 * YOUR PARSER GOES HERE. Returns the lines of the dump's listing, the head first (specs/listing.md), or a promise of them.
 *
 * Of a dump with several heaps, `heap` is the index of the one to read. It is undefined without `heaps: true` above.
 * `omits` has facets of `omits` above that the lines are not to have: do not read them.
 * Throw a Refusal where your parser says, as it documents it, that a dump is bad, with the offset of the bytes if it knows
 * them; errors of REFUSALS are taken as such. Let every other one through: it is reported as a crash of the parser.
 * Numbers above 2^53 are not exact: write a BigInt as "0x" and hexadecimal digits.
 */
function parse(path, heap, omits) {
  return new HprofReader(readFileSync(path)).listing(); // or, with heaps: yourParser(path).heaps[heap ?? 0]
}

/** What is answered to a request, without its id. */
async function answer(request) {
  if (request.op === "hello") {
    const protocol = [2, 1].find((version) => request.protocols?.includes(version));
    if (protocol) return { protocol, ...HELLO };
  }
  if (request.op !== "parse") return { status: "error", message: `this adapter does not know ${request.op}` };
  WARNINGS.length = 0;
  try {
    const omits = request.omits ?? [];
    const [head, ...lines] = await parse(request.path, request.heap, omits);
    if (omits.length) head.omits = omits;
    for (const [facet, key] of Object.entries(COUNTS)) {
      if (HELLO.facets.includes(facet)) head[key] ??= lines.filter((line) => `${line.kind}s` === key).length;
    }
    writeFileSync(request.out, [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
    return WARNINGS.length ? { status: "accept", warnings: WARNINGS } : { status: "accept" };
  } catch (failure) {
    if (failure instanceof Skip) return { status: "skip", reason: failure.message };
    if (failure instanceof Refusal || REFUSALS.some((known) => failure instanceof known)) {
      const place = OFFSET.exec(failure.message)?.[1];
      const offset = failure instanceof Refusal ? failure.offset : undefined;
      return { status: "reject", message: failure.message, offset: offset ?? (place && Number(place)) };
    }
    // An error of a system call is the adapter's and not the parser's. All else is a crash of the parser; rethrow it to end the
    // process, as it should if the parser keeps state.
    if (failure?.syscall) return { status: "error", message: failure.message };
    return { status: "crash", message: failure?.stack ?? String(failure) };
  }
}

async function main() {
  // Standard output is for answers alone. Whatever else prints there gets standard error.
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  process.stdin.setEncoding("utf8");
  let rest = "";
  for await (const chunk of process.stdin) {
    const lines = (rest + chunk).split("\n"); // and not at U+2028, as node:readline does
    rest = lines.pop();
    for (const request of lines.map((line) => JSON.parse(line))) {
      print(`${JSON.stringify({ id: request.id, ...(await answer(request)) })}\n`);
    }
  }
}

// The example. A layout has a digit for a number with that many bytes, and i for an identifier. Of a record it is followed by
// what comes as often as the last number says.
const RECORDS = {
  3: ["4"], 4: ["iiii44"], 5: ["444", "i"], 6: ["2444884", "1444444"], 7: ["4488"], 10: ["4i4iii"], 11: ["4"],
  13: ["44", "44"], 14: ["42"],
};
const ROOTS = {
  0x01: "ii", 0x02: "i44", 0x03: "i44", 0x04: "i4", 0x05: "i", 0x06: "i4", 0x07: "i", 0x08: "i44", 0x89: "i", 0x8a: "i",
  0x8b: "i", 0x8c: "i", 0x8d: "i", 0x8e: "i44", 0x90: "i", 0xfe: "4i", 0xff: "i",
};
const ELEMENTS = {
  4: ["boolean", "1"], 5: ["char", "2"], 6: ["float", "4"], 7: ["double", "8"], 8: ["byte", "1"], 9: ["short", "2"],
  10: ["int", "4"], 11: ["long", "8"],
};
const TYPES = { 2: ["object", "i"], ...ELEMENTS };

class HprofReader {
  lines = [];
  texts = new Map(); // of STRING records, by identifier
  names = new Map(); // identifiers of texts, by the class's address
  classes = new Map(); // superclass and types of fields, by address

  constructor(data) {
    if (data[0] === 0x1f && data[1] === 0x8b) throw new Skip("this parser reads no gzip");
    const header = data.toString("latin1", 0, 31);
    if (!/^JAVA PROFILE 1\.0\.[123]\0\0\0\0[\x01\x02\x04\x08][^]{8}/.test(header)) throw new Refusal("no HPROF header", 0);
    [this.data, this.idSize, this.at, this.end] = [data, data[22], 31, data.length];
  }

  listing() {
    while (this.at < this.data.length) {
      const start = this.at;
      const [tag, , length] = this.read("144").map(Number);
      const end = this.at + length;
      if (end > this.data.length) throw new Refusal("the file ends within a record", start);
      this.end = end;
      this.record(tag);
      [this.at, this.end] = [end, this.data.length];
    }
    for (const line of this.lines) {
      if (line.kind === "class") line.name = this.texts.get(this.names.get(line.address));
      if (line.kind === "object") line.values = this.values(line);
    }
    return [{ listing: 1 }, ...this.lines];
  }

  record(tag) {
    if (tag === 0x01) {
      const [name] = this.read("i");
      this.texts.set(name, text(this.take(this.end - this.at)));
    } else if (tag === 0x02) {
      const [, address, , name] = this.read("4i4i");
      this.names.set(address, name);
    } else if (tag === 0x0c || tag === 0x1c) {
      while (this.at < this.end) this.subRecord();
    } else if (tag in RECORDS) {
      const [layout, repeated = ""] = RECORDS[tag];
      const size = [...repeated].reduce((sum, field) => sum + this.width(field), 0);
      this.take(Number(this.read(layout).pop()) * size);
    }
  }

  subRecord() {
    const [tag] = this.read("1").map(Number);
    if (tag === 0x20) {
      const [address, , parent] = this.read("i4iiiiii4");
      for (const key of ["2", "i"]) {
        // The constant pool, then the static fields.
        for (let left = this.count("2"); left > 0; left--) this.read(key), this.read(this.lookUp(TYPES)[1]);
      }
      const fields = [];
      for (let left = this.count("2"); left > 0; left--) this.read("i"), fields.push(this.lookUp(TYPES));
      this.classes.set(address, { parent, fields });
      this.lines.push({ kind: "class", address, super: parent });
    } else if (tag === 0x21) {
      const [address, , own, length] = this.read("i4i4");
      const start = this.at;
      this.take(Number(length));
      this.lines.push({ kind: "object", address, class: own, values: [start, this.at] });
    } else if (tag === 0x22) {
      const [address, , length, own] = this.read("i44i");
      const elements = [];
      for (let left = Number(length); left > 0; left--) elements.push(...this.read("i"));
      this.lines.push({ kind: "object-array", address, array_class: own, length: Number(length), elements });
    } else if (tag === 0x23 || tag === 0xc3) {
      const [address, , length] = this.read("i44");
      const [element, size] = this.lookUp(ELEMENTS);
      // Android leaves some contents out.
      const contents = tag === 0x23 ? this.take(Number(length) * Number(size)).toString("hex") : undefined;
      this.lines.push({ kind: "primitive-array", address, element, length: Number(length), contents });
    } else if (tag in ROOTS) {
      this.read(ROOTS[tag]);
    } else {
      throw new Refusal(`0x${tag.toString(16)} is unknown`, this.at - 1);
    }
  }

  /** The values of an instance. Its class and superclasses may follow it, so that they are known only at the end. */
  values({ address, class: own, values: [start, end] }) {
    const owners = [];
    let next = own;
    while (this.classes.has(next) && owners.length < this.classes.size) {
      owners.push(this.classes.get(next));
      next = owners.at(-1).parent;
    }
    if (next !== "0x0") throw new Refusal(`the superclasses of ${own} have no end, or one is missing`, start);
    [this.at, this.end] = [start, end];
    const values = owners.flatMap((owner) => owner.fields.map(([type, layout]) => [type, ...this.read(layout)]));
    if (this.at < end) throw new Refusal(`the object ${address} has more bytes than its fields`, this.at);
    return values;
  }

  lookUp(table) {
    const [code] = this.read("1").map(Number);
    if (!(code in table)) throw new Refusal(`0x${code.toString(16)} is unknown`, this.at - 1);
    return table[code];
  }

  /** The fields of a layout, in hexadecimal: a Number does not hold all identifiers. */
  read(layout) {
    return [...layout].map((field) => `0x${this.take(this.width(field)).toString("hex").replace(/^0+(?=.)/, "")}`);
  }

  count(field) {
    return Number(this.read(field)[0]);
  }

  width(field) {
    return field === "i" ? this.idSize : Number(field);
  }

  take(count) {
    if (count > this.end - this.at) throw new Refusal(`what ends at ${this.end} is shorter than it says`, this.at);
    this.at += count;
    return this.data.subarray(this.at - count, this.at);
  }
}

/** A name of modified UTF-8, or its bytes where they are no such text. */
function text(bytes) {
  const units = codeUnits(bytes);
  return units === undefined || /\p{Surrogate}/u.test(units) ? { bytes: bytes.toString("hex") } : units;
}

function codeUnits(bytes) {
  let units = "";
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at];
    const size = first < 0x80 ? 1 : first >> 5 === 0b110 ? 2 : first >> 4 === 0b1110 ? 3 : 0;
    const rest = bytes.subarray(at + 1, at + size);
    if (size === 0 || rest.length < size - 1 || rest.some((byte) => byte >> 6 !== 0b10)) return undefined;
    const unit = rest.reduce((bits, byte) => (bits << 6) | (byte & 0x3f), size === 1 ? first : first & (0x7f >> size));
    if (unit < [1, 0x80, 0x800][size - 1] && !(size === 2 && unit === 0)) return undefined; // longer than it need be
    units += String.fromCharCode(unit);
    at += size;
  }
  return units;
}

await main();
