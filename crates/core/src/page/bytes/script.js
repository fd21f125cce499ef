"use strict";
// Without this script the page can be read as well; it only searches, opens what is linked to, and shows the bytes of a record
// in lines, where those of a field are marked.
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const by = (id) => document.getElementById(id);
  const element = (name, classes, text = "") => {
    const made = document.createElement(name);
    made.className = classes;
    made.textContent = text;
    return made;
  };

  const rows = (within) => all("tbody tr:not(.cut)", within);
  const offset = (row) => parseInt(row.cells[0].lastChild.textContent, 16);

  // Bytes of a record in lines, at most.
  const MOST_BYTES = 1024;
  const PER_LINE = 8;

  /** Shows the bytes of a record's fields in lines. */
  const dump = (fields) => {
    if (!fields || fields.querySelector(".dump")) return;
    const bytes = [];
    for (const row of rows(fields)) {
      const hex = row.cells[1].firstChild?.textContent.trim() ?? "";
      hex.split(" ").filter(Boolean).forEach((byte, n) => bytes.push({ at: offset(row) + n, byte, row }));
    }
    if (bytes.length === 0) return;
    const box = element("div", "dump");
    // The table has the same in words.
    box.setAttribute("aria-hidden", "true");
    const marks = new Map();
    let [text, last, span] = ["", null, null];
    const endLine = () => {
      if (text !== "") box.append(`${"   ".repeat(PER_LINE - text.length)}  ${text}\n`);
      [text, span] = ["", null];
    };
    for (const { at, byte, row } of bytes.slice(0, MOST_BYTES)) {
      const isGap = last !== null && at !== last + 1;
      if (isGap || text.length === PER_LINE) endLine();
      if (isGap) box.append("...\n");
      if (text === "") box.append(element("span", "at", at.toString(16).padStart(8, "0")), " ");
      if (span?.row !== row) {
        span = { row, element: element("span", row.classList.contains("wrong") ? "f wrong" : "f", byte) };
        box.append(" ", span.element);
        marks.set(row, [...(marks.get(row) ?? []), span.element]);
      } else {
        span.element.textContent += ` ${byte}`;
      }
      const code = parseInt(byte, 16);
      text += code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : ".";
      last = at;
    }
    endLine();
    if (bytes.length > MOST_BYTES) box.append(`and ${bytes.length - MOST_BYTES} more\n`);
    fields.append(box);
    const mark = (row, on) => {
      row.classList.toggle("on", on);
      for (const span of marks.get(row) ?? []) span.classList.toggle("on", on);
    };
    for (const [row, spans] of marks) {
      for (const [begin, finish] of [["pointerenter", "pointerleave"], ["focusin", "focusout"]]) {
        for (const at of [row, ...spans]) {
          at.addEventListener(begin, () => mark(row, true));
          at.addEventListener(finish, () => mark(row, false));
        }
      }
      // The lines may come after the focus: a record tells a little later that it was opened.
      if (row.contains(document.activeElement)) mark(row, true);
    }
  };

  // This event does not rise.
  document.addEventListener("toggle", ({ target }) => {
    if (target.open && target.matches("details.record")) dump(target.querySelector(".fields"));
  }, true);
  dump(document.querySelector("#stop .fields"));

  const form = by("filters");
  form.hidden = false;
  const text = by("filter-text");
  const records = all("details.record").map((element) => ({
    element, text: null, from: Number(element.dataset.from), to: Number(element.dataset.to),
  }));
  const gaps = all(".gap, p.record");
  let [words, offsets, hits] = [[], [], null];

  const has = (content) => words.every((word) => content.includes(word));
  const holds = (from, to) => offsets.some((at) => at >= from && at < to);

  const apply = () => {
    words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    // An offset stands alone.
    offsets = words.length === 1 && /^(0x[0-9a-f]+|\d+)$/.test(words[0]) ? [Number(words[0])] : [];
    for (const row of all("tr.hit")) row.classList.remove("hit");
    hits = null;
    let count = 0;
    for (const record of records) {
      record.text ??= record.element.textContent.toLowerCase();
      const matches = has(record.text) || holds(record.from, record.to);
      record.element.hidden = !matches;
      count += matches;
    }
    for (const gap of gaps) gap.hidden = words.length > 0;
    by("filter-count").textContent = `${count} of ${records.length} shown`;
    by("nothing").hidden = count > 0 || records.length === 0;
    by("filter-next").disabled = count === 0 || words.length === 0;
  };

  /** Opens a record and gives the focus to what is searched in it. */
  const show = (record, row) => {
    record.open = true;
    dump(record.querySelector(".fields"));
    const target = row?.querySelector("a") ?? record.querySelector("summary");
    target.focus();
    target.scrollIntoView({ block: "center" });
  };

  /** The rows that match; of a record of which only the line matches, the record. */
  function* matches() {
    for (const { element, to } of records.filter((record) => !record.element.hidden)) {
      const found = rows(element).filter((row, n, others) =>
        has(row.textContent.toLowerCase()) || holds(offset(row), n + 1 < others.length ? offset(others[n + 1]) : to));
      for (const row of found) row.classList.add("hit");
      if (found.length === 0) yield [element, null];
      for (const row of found) yield [element, row];
    }
  }

  /** Goes to the next match, and after the last one to the first. */
  const advance = () => {
    if (words.length === 0) return;
    hits ??= matches();
    let { value, done } = hits.next();
    if (done) {
      hits = matches();
      ({ value, done } = hits.next());
    }
    if (!done) show(...value);
  };

  const reset = () => { form.reset(); apply(); };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => { event.preventDefault(); advance(); });
  by("filter-reset").addEventListener("click", reset);
  by("close-all").addEventListener("click", () => { for (const { element } of records) element.open = false; });

  // What an address of this page points to is opened, and gets the focus; an offset inside a field leads to the field.
  const reveal = () => {
    const hash = decodeURIComponent(location.hash.slice(1));
    const at = /^o[0-9a-f]+$/.test(hash) ? parseInt(hash.slice(1), 16) : null;
    const target = by(hash);
    if (target?.closest("#stop")) return;
    const record = target?.closest("details.record")
      ?? (at === null ? null : records.find(({ from, to }) => at >= from && at < to)?.element);
    if (!record) return;
    if (record.hidden) reset();
    const row = target?.closest("tr") ?? (at === null ? null : rows(record).findLast((row) => offset(row) <= at));
    show(record, row);
  };
  addEventListener("hashchange", reveal);
  apply();
  reveal();
})();
