// What the tests of a page in Chromium have in common.
//
// HEAPSMITH_BROWSER: the browser's command. HEAPSMITH_SCREENSHOTS: a folder for pictures.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import puppeteer from "puppeteer-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ADDRESS = pathToFileURL(resolve(process.argv[2])).href;
export const PICTURES = process.env.HEAPSMITH_SCREENSHOTS;
export const VIEWS = [
  { name: "desktop", width: 1280, height: 800 },
  { name: "phone", width: 390, height: 780 },
];
export const SCHEMES = ["light", "dark"];

const command = process.env.HEAPSMITH_BROWSER ?? "chromium";
const executablePath = execFileSync("sh", ["-c", 'command -v -- "$1"', "sh", command], { encoding: "utf8" }).trim();
const root = process.getuid?.() === 0;
// Only a browser that does nothing any more is given up: a busy machine may take long over each step.
const PATIENCE = 300_000;
const browser = await puppeteer.launch({
  executablePath,
  timeout: PATIENCE,
  protocolTimeout: PATIENCE,
  // The browser's own sandbox does not work for root.
  args: ["--disable-gpu", "--disable-dev-shm-usage", ...(root ? ["--no-sandbox"] : [])],
});

/** Ends the browser. */
export const close = () => browser.close();

/** A new page that fails the test if it complains or asks for anything. */
export async function open({ view = VIEWS[0], scheme = "light", script = true, hash = "" } = {}) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.on("console", (message) => {
    if (["error", "warn", "assert"].includes(message.type())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("dialog", (dialog) => { page.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== ADDRESS && !url.startsWith("data:")) page.complaints.push(`request: ${url}`);
  });
  await page.setJavaScriptEnabled(script);
  await page.setViewport({ width: view.width, height: view.height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(ADDRESS + hash, { waitUntil: "load" });
  page.done = async () => {
    assert.deepEqual(page.complaints, []);
    await context.close();
  };
  return page;
}

/** Waits for what has to become true; for pages without scripts, where waiting in the page does not work. */
export async function until(what, isSo) {
  const asked = Date.now();
  while (!await isSo()) {
    assert.ok(Date.now() - asked < PATIENCE, `not within ${PATIENCE / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function picture(page, name, options = {}) {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), ...options });
}

export async function noSidewaysScrolling(page, what) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${what}: the page is ${content} wide in a window of ${window}`);
}

/** What axe finds wrong. */
export async function axe(page, name) {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join("\n")}`);
  });
  assert.deepEqual(violations, [], name);
}

/** Contrast of texts with what is behind them, worked out here. */
export async function contrast(page, name, selectors) {
  const low = await page.evaluate((selectors) => {
    const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
      const [lr, lg, lb] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * lr + 0.7152 * lg + 0.0722 * lb;
    };
    const ratio = (a, b) => {
      const [more, less] = [light(a), light(b)].sort((a, b) => b - a);
      return (more + 0.05) / (less + 0.05);
    };
    const behind = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const colour = numbers(getComputedStyle(e).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return numbers(getComputedStyle(document.body).backgroundColor);
    };
    const low = [];
    for (const selector of selectors) {
      const elements = Array.from(document.querySelectorAll(selector)).filter((e) => e.checkVisibility());
      if (elements.length === 0) low.push(`${selector}: none is visible`);
      for (const element of elements) {
        const is = ratio(numbers(getComputedStyle(element).color), behind(element));
        if (is < 4.5) { low.push(`${selector}: ${is.toFixed(2)} ${element.outerHTML.slice(0, 120)}`); break; }
      }
    }
    for (const node of document.querySelectorAll("details[open] .graph .node")) {
      const box = numbers(getComputedStyle(node.querySelector("rect")).fill);
      for (const text of node.querySelectorAll("text")) {
        const is = ratio(numbers(getComputedStyle(text).fill), box);
        if (is < 4.5) low.push(`graph: ${is.toFixed(2)}`);
      }
    }
    for (const text of document.querySelectorAll("details[open] .graph .name")) {
      const is = ratio(numbers(getComputedStyle(text).fill), behind(text));
      if (is < 4.5) low.push(`graph's names: ${is.toFixed(2)}`);
    }
    return low;
  }, selectors);
  assert.deepEqual(low, [], name);
}

/** Every link within the page leads to something, and no id stands twice. */
export async function linksLead(page) {
  const lost = await page.$$eval('a[href^="#"]', (all) => all.filter((a) => !document.getElementById(a.hash.slice(1))).length);
  assert.equal(lost, 0, "links to nothing");
  const ids = await page.$$eval("[id]", (all) => all.map((e) => e.id));
  assert.equal(new Set(ids).size, ids.length, "an id twice");
}

/** What dumps and programs say is text: it runs no script and fetches no image. */
export async function hostileIsText(page) {
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.$$eval("script", (all) => all.length), 1);
  assert.equal(await page.$$eval("img", (all) => all.length), 0);
  assert.ok(await page.evaluate(() => document.body.textContent.includes("<script>window.broken=1</script>")));
}
