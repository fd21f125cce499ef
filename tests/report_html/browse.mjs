// Opens the page in Chromium, at two widths and in two schemes, and uses it by keyboard alone.
//
//   node browse.mjs report.html

import assert from "node:assert/strict";
import { join } from "node:path";

import {
  PICTURES, SCHEMES, VIEWS, axe, close, contrast, hostileIsText, linksLead, noSidewaysScrolling, open, picture, until,
} from "./browser.mjs";

/** What has text in the report. */
const TEXTS = [
  "h1", "h2", "h3", "h4", "h5", "p", "dt", "dd", "nav a", ".aside", "li", "td", "th", ".cell", ".cell a", ".badge",
  ".gist", ".also", ".ids", ".count", ".sentence", ".reason", "summary", "pre", "mark", "label", "button", "select", "input",
  "output", ".note", ".rule-text", "figcaption", "footer p", ".zero", ".hex", "tr.wrong td", "a", ".state",
];

try {
  for (const view of VIEWS) {
    for (const scheme of SCHEMES) {
      await looks(view, scheme);
    }
    await keyboard(view);
  }
  await filters();
  await links();
  await hostile();
  await withoutScript();
  await printed();
} finally {
  await close();
}
console.log("the page holds");

/** Opens the causes that the other checks look at: one with everything, a known one, one of a hostile implementation. */
async function openCauses(page) {
  return page.evaluate(() => {
    const causes = Array.from(document.querySelectorAll("details.cause"));
    const full = causes.find((cause) => cause.querySelector(".graph") && cause.querySelector("tr.wrong"));
    const known = causes.find((cause) => cause.dataset.expected !== undefined);
    const last = causes.filter((cause) => cause.querySelector(".graph")).at(-1);
    const crash = causes.find((cause) => cause.querySelector("summary .badge.crash"));
    for (const cause of [full, known, last, crash]) cause.open = true;
    document.querySelector("details.rule").open = true;
    for (const more of document.querySelectorAll("details.more, details.listed")) more.open = true;
    return causes.length;
  });
}

async function looks(view, scheme) {
  const name = `${view.name}-${scheme}`;
  const page = await open({ view, scheme });
  await noSidewaysScrolling(page, name);
  await picture(page, `${name}-1-top`);
  await openCauses(page);
  await noSidewaysScrolling(page, `${name}, opened`);
  const places = ["#implementations", "#causes", "details.cause[open]", "details.cause[data-expected][open]", "#matrix"];
  for (const [index, selector] of places.entries()) {
    await page.evaluate((selector) => document.querySelector(selector).scrollIntoView({ block: "start" }), selector);
    await picture(page, `${name}-${index + 2}`);
  }
  await page.evaluate(() => Array.from(document.querySelectorAll("details.cause[open]")).at(-1).scrollIntoView());
  await picture(page, `${name}-7-hostile`);

  // The first screen answers: is it right, what is wrong, what to do next.
  await page.evaluate(() => scrollTo(0, 0));
  const seen = await page.$$eval("h1, .wrong-list li:first-child a, .top .repeat code", (all) =>
    all.map((e) => e.getBoundingClientRect()).filter((box) => box.height > 0 && box.top < innerHeight).length);
  assert.equal(seen, 3, `${name}: the first screen`);
  assert.match(await page.$eval("h1", (e) => e.textContent), /\d+ unexpected results, \d+ causes/);

  // Every picture has a text.
  const pictures = await page.evaluate(() =>
    Array.from(document.querySelectorAll("svg:not([aria-hidden])"), (svg) => svg.querySelector("title")?.textContent ?? ""));
  assert.ok(pictures.length > 1 && pictures.every((title) => title.trim() !== ""), `${name}: a picture without a title`);

  // The wrong field is marked, in words and in colour.
  const wrong = await page.evaluate(() => {
    const cause = document.querySelector("details.cause[open]:has(.graph)");
    const rows = Array.from(cause.querySelectorAll("table.bytes tbody tr"));
    const colour = (row) => getComputedStyle(row.lastElementChild).backgroundColor;
    const marked = rows.filter((row) => row.textContent.includes("read wrongly"));
    const font = (selector) => getComputedStyle(cause.querySelector(selector)).fontFamily;
    return {
      marked: marked.map((row) => row.textContent), wrong: colour(marked[0]), right: colour(rows[0]),
      bytes: font(".hex"), meaning: font(".hex ~ td:last-child"), fact: font(".side pre"),
    };
  });
  assert.ok(wrong.bytes !== wrong.meaning && wrong.fact === wrong.meaning, "bytes and text look different");
  assert.equal(wrong.marked.length, 2);
  assert.ok(wrong.marked[0].includes("00 00 00 05"), wrong.marked[0]);
  assert.notEqual(wrong.wrong, wrong.right);

  await contrast(page, name, TEXTS);
  await axe(page, name);
  await page.done();
}

function focused(page) {
  return page.evaluate(() => {
    const e = document.activeElement;
    const style = getComputedStyle(e);
    return {
      name: e.localName,
      classes: e.className,
      text: e.textContent.trim().slice(0, 60),
      inCause: e.matches("details.cause > summary"),
      inCell: e.matches("table.matrix td a"),
      outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
      visible: e.checkVisibility(),
    };
  });
}

/** Everything by keys: the skip link, then on to the cause that is open, which closes and opens. */
async function keyboard(view) {
  const page = await open({ view });
  await page.keyboard.press("Tab");
  let at = await focused(page);
  assert.equal(at.classes, "jump", "the first stop skips to the causes");
  assert.ok(at.outlined);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#causes");
  const isOpen = () => page.evaluate(() => document.activeElement.parentElement.open);
  const stops = [];
  for (let n = 0; n < 60; n += 1) {
    await page.keyboard.press("Tab");
    at = await focused(page);
    stops.push(`${at.name} ${at.text}`);
    assert.ok(at.outlined, `no focus to be seen on ${at.name} ${at.classes} ${at.text}`);
    assert.ok(at.visible);
    if (at.inCause && await isOpen()) break;
  }
  assert.ok(at.inCause, `no cause after ${stops.join(", ")}`);
  assert.ok(stops[0].startsWith("input") && stops.some((stop) => stop.startsWith("select")), stops.join(", "));
  assert.equal(await isOpen(), true, "the cause that is named first at the top is open");
  await page.keyboard.press("Enter");
  assert.equal(await isOpen(), false, "Enter closes");
  await page.keyboard.press("Space");
  assert.equal(await isOpen(), true, "Space opens");
  await picture(page, `${view.name}-focus`);
  // Inside: parts that scroll, and the button that copies.
  let copied = false;
  for (let n = 0; n < 12 && !copied; n += 1) {
    await page.keyboard.press("Tab");
    at = await focused(page);
    assert.ok(at.outlined);
    if (at.classes === "copy") {
      // The button says so for a moment, which may be over before anybody looks.
      await page.evaluate(() => {
        const button = document.activeElement;
        new MutationObserver(() => { window.copied ??= button.textContent; }).observe(button, { childList: true });
      });
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => window.copied);
      assert.notEqual(await page.evaluate(() => window.copied), "Copy");
      copied = true;
    }
  }
  assert.ok(copied, "the command can be copied");
  // A cell of the matrix leads to an open cause.
  await page.evaluate(() => { document.activeElement.blur(); document.querySelector("details.rule > summary").focus(); });
  for (let n = 0; n < 20; n += 1) {
    await page.keyboard.press("Tab");
    at = await focused(page);
    if (at.name === "a") break;
  }
  assert.ok(at.inCell && at.outlined);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches("details.cause[open] > summary"));
  await noSidewaysScrolling(page, `${view.name} after a cell`);
  // From the top: what is wrong leads to its cause.
  await page.evaluate(() => { document.activeElement.blur(); document.querySelector(".wrong-list a").focus(); });
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches("details.cause[open] > summary"));
  await page.done();
}

function shown(page) {
  return page.$$eval("details.cause", (all) => all.filter((entry) => entry.checkVisibility()).length);
}

async function filters() {
  const page = await open();
  const total = await shown(page);
  await page.focus("#filter-text");
  await page.keyboard.type("array-length phd");
  const some = await shown(page);
  assert.ok(some > 0 && some < total, `${some} of ${total}`);
  assert.ok((await page.$eval("#filter-count", (e) => e.textContent)).startsWith(`${some} of `));
  await page.keyboard.type(" no-such-thing");
  assert.equal(await shown(page), 0);
  assert.ok(await page.$eval("#nothing", (e) => e.checkVisibility()));
  await page.focus("#filter-reset");
  await page.keyboard.press("Enter");
  assert.equal(await shown(page), total);

  await page.focus("#filter-expected");
  await page.keyboard.press("Space");
  assert.equal(await page.$$eval("[data-expected]", (all) => all.filter((e) => e.checkVisibility()).length), 0);
  await page.keyboard.press("Space");
  await page.select("#filter-implementation", "1");
  assert.equal(await page.$$eval("section.implementation", (all) => all.filter((e) => e.checkVisibility()).length), 1);

  // A cell shows the causes of its rule and implementation.
  const cell = await page.$("table.matrix td.fail a");
  const { row, column } = await cell.evaluate((e) =>
    ({ row: e.closest("tr").dataset.row, column: e.parentElement.cellIndex - 1 }));
  await cell.evaluate((e) => e.click());
  await page.waitForFunction(() => document.activeElement.matches("details.cause[open] > summary"));
  const left = await page.$$eval("details.cause", (all) => all.filter((e) => e.checkVisibility()).map((e) =>
    ({ rows: e.dataset.rows.split(" "), implementation: e.closest("section.implementation").dataset.implementation })));
  assert.ok(left.length > 0 && left.every((e) => e.rows.includes(row) && e.implementation === String(column)));
  await page.click("#filter-rule");
  assert.ok(await shown(page) > left.length);
  await page.done();
}

async function links() {
  const page = await open({ hash: "#c1-2" });
  await page.waitForFunction(() => document.getElementById("c1-2").closest("details").open);
  const hrefs = await page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href")));
  assert.ok(hrefs.length > 10 && hrefs.every((href) => href.startsWith("#") || /^https?:\/\//.test(href)));
  await linksLead(page);
  await page.done();
}

async function hostile() {
  const page = await open();
  await openCauses(page);
  await hostileIsText(page);
  await page.done();
  // Even if a script slipped through, it would not run.
  const other = await open();
  await other.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.broken = 1";
    document.body.append(script);
  });
  assert.equal(await other.evaluate(() => window.broken), undefined);
  assert.ok(other.complaints.some((text) => text.includes("Content Security Policy")), other.complaints.join());
  other.complaints = [];
  await other.done();
}

async function withoutScript() {
  for (const view of VIEWS) {
    const page = await open({ view, script: false });
    assert.ok(await shown(page) > 5);
    assert.equal(await page.$eval("#filters", (e) => e.checkVisibility()), false);
    assert.equal(await page.$$eval("button", (all) => all.filter((e) => e.checkVisibility()).length), 0);
    const cause = await page.$("details.cause:not([open]):has(.side pre) > summary");
    await cause.click();
    assert.ok(await cause.evaluate((e) => {
      const text = e.parentElement.querySelector(".side pre");
      return text.checkVisibility() && text.textContent.length > 0;
    }));
    await noSidewaysScrolling(page, "without a script");
    // A cell's link opens its cause all the same.
    await page.$eval("table.matrix td.fail a", (e) => e.scrollIntoView({ block: "center", inline: "center" }));
    await page.click("table.matrix td.fail a");
    await until("the cause that the cell leads to is open", () =>
      page.evaluate(() => document.querySelector(":target")?.checkVisibility() === true));
    await page.done();
  }
}

async function printed() {
  const page = await open({ scheme: "dark" });
  await openCauses(page);
  await page.emulateMediaType("print");
  assert.equal(await page.$eval("#filters", (e) => e.checkVisibility()), false);
  const [content, window] = await page.evaluate(() => [document.querySelector(".tall").scrollHeight, document.querySelector(".tall").clientHeight]);
  assert.ok(content <= window + 1, "the table is printed whole");
  if (PICTURES) await page.pdf({ path: join(PICTURES, "print.pdf"), format: "A4" });
  await page.done();
}
