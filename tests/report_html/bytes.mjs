// Opens the page of a dump's bytes in Chromium, at two widths and in two schemes, and uses it by keyboard alone. The dump is
// broken, has every kind of record, and names that are hostile and long.
//
//   node bytes.mjs bytes.html

import assert from "node:assert/strict";

import {
  SCHEMES, VIEWS, axe, close, contrast, hostileIsText, linksLead, noSidewaysScrolling, open, picture,
} from "./browser.mjs";

/** What has text in the page. */
const TEXTS = [
  "h1", "h2", "p", "dt", "dd", "nav a", ".aside", "td", "th", "summary", "label", "button", "input", "output", ".rule-text",
  "figcaption", "footer p", ".hex", ".offset", ".offset a", "tr.wrong td", "tr.on td", "tr.hit td", ".kind", ".about", ".address",
  ".class", "p.broken a", ".dump", ".dump .at", ".dump .f", ".dump .f.on", ".dump .f.wrong", ".state", ".cut",
];

try {
  for (const view of VIEWS) {
    for (const scheme of SCHEMES) {
      await looks(view, scheme);
    }
    await keyboard(view);
  }
  await marks();
  await search();
  await links();
  await hostile();
  await withoutScript();
  await printed();
} finally {
  await close();
}
console.log("the page holds");

/** Searches, and goes to the first match. */
async function find(page, text) {
  await page.$eval("#filter-text", (input) => { input.value = ""; });
  await page.focus("#filter-text");
  await page.keyboard.type(text);
}

function focused(page) {
  return page.evaluate(() => {
    const e = document.activeElement;
    const style = getComputedStyle(e);
    return {
      name: e.localName,
      id: e.id,
      classes: e.className,
      text: e.textContent.trim().slice(0, 60),
      record: e.matches("details.record > summary"),
      field: e.closest("td.offset") && e.id,
      hash: e.hash ?? null,
      outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
      visible: e.checkVisibility(),
    };
  });
}

async function looks(view, scheme) {
  const name = `bytes-${view.name}-${scheme}`;
  const page = await open({ view, scheme });
  await noSidewaysScrolling(page, name);
  await picture(page, `${name}-1-top`);

  // The first screen says where reading stops, and what was expected and found.
  const seen = await page.$$eval("h1, #stop dl dd", (all) =>
    all.filter((e) => e.checkVisibility() && e.getBoundingClientRect().bottom < innerHeight).length);
  assert.equal(seen, 5, `${name}: the first screen`);
  assert.match(await page.$eval("h1", (e) => e.textContent), /reading stops at offset 0x[0-9a-f]+/);

  // The picture has a text, and the same in a table; its rectangles fill the strip.
  assert.match(await page.$eval(".strip title", (e) => e.textContent), /STRING IN UTF8 \d/);
  const filled = await page.$$eval(".strip rect:not(.ground, .shown, .unread)", (all) =>
    all.reduce((sum, e) => sum + e.width.baseVal.value * e.height.baseVal.value, 0));
  assert.ok(filled > 99_000 && filled <= 100_001, `${filled} of 100000`);
  for (const selector of ["#kinds", "#records"]) {
    await page.$eval(selector, (e) => e.scrollIntoView());
    await picture(page, `${name}-2-${selector.slice(1)}`);
  }

  // Every kind of record is opened once; a field is pointed at.
  await page.evaluate(() => {
    const kinds = new Set();
    for (const record of document.querySelectorAll("details.record")) {
      const kind = record.querySelector(".kind").textContent;
      record.open = !kinds.has(kind) || record.querySelector(".cut") !== null;
      kinds.add(kind);
    }
    document.querySelector("details.more").open = true;
  });
  await noSidewaysScrolling(page, `${name}, opened`);
  await find(page, "pkg/leaf");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches("tr.on.hit a"));
  await picture(page, `${name}-3-found`);
  await page.$eval("#filter-text", (input) => { input.value = ""; input.dispatchEvent(new Event("input", { bubbles: true })); });
  await page.evaluate(() => { document.querySelector("#stop .offset a").focus(); });
  await page.evaluate(() => { document.querySelector("details.record[open] tbody tr").classList.add("hit"); });
  await page.$eval("details.inside[open]", (e) => e.scrollIntoView());
  await picture(page, `${name}-4-opened`);
  await contrast(page, name, TEXTS);
  await axe(page, name);
  await page.done();
}

/** Everything by keys: the skip link, the search, a record, its fields. */
async function keyboard(view) {
  const page = await open({ view });
  await page.keyboard.press("Tab");
  let at = await focused(page);
  assert.equal(at.classes, "jump", "the first stop skips to the records");
  assert.ok(at.outlined);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#records");
  await page.keyboard.press("Tab");
  assert.equal((await focused(page)).id, "filter-text");
  for (let n = 0; n < 10 && !at.record; n += 1) {
    await page.keyboard.press("Tab");
    at = await focused(page);
    assert.ok(at.outlined && at.visible, `no focus to be seen on ${at.name} ${at.classes} ${at.text}`);
  }
  assert.ok(at.record && at.text.includes("header"), at.text);
  await page.keyboard.press("Enter");
  assert.ok(await page.evaluate(() => document.activeElement.parentElement.open));
  await page.waitForSelector("details.record[open] .dump");
  // The part that scrolls, then the fields, each of which marks its bytes.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  at = await focused(page);
  assert.equal(at.field, "o0");
  assert.ok(at.outlined);
  const marked = () => page.$$eval(".dump .f.on", (all) => all.map((e) => e.textContent).join(" "));
  assert.equal(await marked(), "4a 41 56 41 20 50 52 4f 46 49 4c 45 20", "JAVA PROFILE");
  await page.keyboard.press("Tab");
  assert.equal(await marked(), "31 2e 30 2e 32", "1.0.2");
  await picture(page, `bytes-${view.name}-focus`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#od");
  await noSidewaysScrolling(page, `${view.name}, a field`);
  await page.done();
}

/** A field that is pointed at marks its bytes, and bytes that are pointed at mark their field. */
async function marks() {
  const page = await open();
  const wrong = await page.$("#stop tr.wrong");
  await wrong.hover();
  assert.equal(await page.$eval("#stop .dump .f.on", (e) => e.textContent), "00 00");
  await page.hover("#stop .dump .f");
  assert.equal(await page.$$eval("#stop tr.on", (all) => all.map((e) => e.cells[2].textContent).join()), "tag");
  await page.hover("h1");
  assert.equal(await page.$$eval("tr.on, .f.on", (all) => all.length), 0);
  // Lines of a record have all its bytes.
  await page.evaluate(() => { document.getElementById("r0").open = true; });
  await page.waitForSelector("#r0 .dump");
  const lines = await page.$$eval("#r0 .dump .f", (all) => all.map((e) => e.textContent).join(" "));
  assert.equal(lines, "01 00 00 00 00 00 00 00 0a 90 00 00 10 3c 69 6e 69 74 3e");
  await page.done();
}

function shown(page) {
  return page.$$eval("details.record", (all) => all.filter((entry) => entry.checkVisibility()).length);
}

async function search() {
  const page = await open();
  const total = await shown(page);
  assert.ok(total > 200);
  // By a name.
  await find(page, "pkg/leaf");
  const some = await shown(page);
  assert.ok(some > 1 && some < 20, `${some} of ${total}`);
  assert.ok((await page.$eval("#filter-count", (e) => e.textContent)).startsWith(`${some} of ${total} `));
  const first = async () => {
    await page.keyboard.press("Enter");
    return focused(page);
  };
  const one = await first();
  assert.ok(one.field, "the first match has the focus");
  await page.focus("#filter-next");
  const two = await first();
  assert.ok(two.field && two.field !== one.field, "then the next");
  // By an offset inside a field: the record, and the field.
  await find(page, "0x21");
  assert.equal(await shown(page), 1);
  const inside = await first();
  assert.equal(inside.field, "o20", "a time of four bytes begins at 0x20");
  // The first byte of a record belongs to no other.
  await find(page, "0x32");
  assert.equal(await shown(page), 1);
  assert.equal((await first()).field, "o32");
  // By a value.
  await find(page, "2415919120");
  assert.ok(await shown(page) >= 1);
  assert.equal((await first()).field, "o28");
  await find(page, "no-such-thing");
  assert.equal(await shown(page), 0);
  assert.ok(await page.$eval("#nothing", (e) => e.checkVisibility()));
  assert.ok(await page.$eval("#filter-next", (e) => e.disabled));
  await page.focus("#filter-reset");
  await page.keyboard.press("Enter");
  assert.equal(await shown(page), total);
  await page.focus("#close-all");
  await page.keyboard.press("Enter");
  assert.equal(await page.$$eval("details.record[open]", (all) => all.length), 0);
  await page.done();
}

async function links() {
  // An address leads to a field; one inside a field leads to it, too.
  for (const hash of ["#o28", "#o29"]) {
    const page = await open({ hash });
    await page.waitForFunction(() => document.activeElement.id === "o28");
    assert.ok(await page.$eval("#r0", (e) => e.open));
    await page.done();
  }
  const page = await open();
  const hrefs = await page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href")));
  assert.ok(hrefs.length > 10 && hrefs.every((href) => href.startsWith("#")));
  await linksLead(page);
  await page.done();
}

async function hostile() {
  const page = await open();
  await page.evaluate(() => { for (const record of document.querySelectorAll("details.record")) record.open = true; });
  await find(page, "window.broken");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches("tr.on a"));
  await hostileIsText(page);
  await page.done();
}

async function withoutScript() {
  for (const view of VIEWS) {
    const page = await open({ view, script: false });
    assert.equal(await page.$eval("#filters", (e) => e.checkVisibility()), false);
    assert.equal(await page.$$eval("button", (all) => all.filter((e) => e.checkVisibility()).length), 0);
    assert.ok(await page.$eval("#stop tr.wrong", (e) => e.checkVisibility()));
    const record = await page.$("#r0 > summary");
    await record.click();
    assert.ok(await page.$eval("tr:has(#o28)", (e) => e.checkVisibility() && e.textContent.includes("<init>")));
    await noSidewaysScrolling(page, "without a script");
    await page.done();
  }
}

async function printed() {
  const page = await open({ scheme: "dark" });
  await page.emulateMediaType("print");
  assert.equal(await page.$eval("#filters", (e) => e.checkVisibility()), false);
  assert.ok(await page.$eval("#stop tr.wrong", (e) => e.checkVisibility()));
  await page.done();
}
