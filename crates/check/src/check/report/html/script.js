"use strict";
// Without this script the page can be read as well; it only filters, copies, and opens what is linked to.
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const by = (id) => document.getElementById(id);

  // The copy buttons, which need the script.
  for (const button of all("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      let copied = true;
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        // No clipboard for this page: at least the text is selected.
        getSelection().selectAllChildren(code);
        copied = false;
      }
      button.textContent = copied ? "Copied" : "Selected";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // On a narrow screen a picture begins with what it is about. This event does not rise.
  document.addEventListener("toggle", ({ target }) => {
    const scroll = target.open && target.querySelector("figure .scroll");
    if (scroll) scroll.scrollLeft = (scroll.scrollWidth - scroll.clientWidth) / 2;
  }, true);

  const form = by("filters");
  if (!form) return;
  form.hidden = false;

  const text = by("filter-text");
  const implementation = by("filter-implementation");
  const expected = by("filter-expected");
  const chip = by("filter-rule");
  let rule = null;

  const sections = all("section.implementation").map((element) => ({
    element,
    implementation: element.dataset.implementation,
    causes: all("details.cause", element).map((cause) => ({ element: cause, text: null })),
  }));

  const says = (cause, words) => {
    if (words.length === 0) return true;
    cause.text ??= cause.element.textContent.toLowerCase();
    return words.every((word) => cause.text.includes(word));
  };

  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let [count, total] = [0, 0];
    for (const section of sections) {
      const here = implementation.value === "" || implementation.value === section.implementation;
      let ofSection = 0;
      for (const cause of section.causes) {
        const { rows, expected: known } = cause.element.dataset;
        const visible = here
          && (expected.checked || known === undefined)
          && (rule === null || rows.split(" ").includes(rule.row))
          && says(cause, words);
        cause.element.hidden = !visible;
        total += 1;
        ofSection += visible;
      }
      section.element.hidden = ofSection === 0;
      count += ofSection;
    }
    by("filter-count").textContent = `${count} of ${total} shown`;
    by("nothing").hidden = count > 0;
    chip.hidden = rule === null;
    chip.textContent = rule === null ? "" : `Only ${rule.title} ✕`;
    chip.setAttribute("aria-label", rule === null ? "" : `Remove the filter for ${rule.title}`);
  };

  const reset = () => {
    form.reset();
    rule = null;
    apply();
  };

  // What an address of this page points to is opened, and gets the focus.
  const reveal = () => {
    const target = by(decodeURIComponent(location.hash.slice(1)));
    const cause = target?.closest("details.cause");
    if (!cause) return;
    if (cause.closest("[hidden]")) reset();
    cause.open = true;
    cause.querySelector("summary").focus();
    cause.scrollIntoView({ block: "start" });
  };

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  chip.addEventListener("click", () => { rule = null; apply(); by("filter-reset").focus(); });
  by("filter-reset").addEventListener("click", reset);
  by("close-all").addEventListener("click", () => {
    for (const details of all("#causes details[open]")) details.open = false;
  });
  for (const link of all("table.matrix td a")) {
    link.addEventListener("click", () => {
      const row = link.closest("tr");
      form.reset();
      rule = { row: row.dataset.row, title: row.querySelector(".rule > summary, .row-title").textContent };
      // Columns stand in the order of implementations, next to the rule's name.
      implementation.value = String(link.parentElement.cellIndex - 1);
      apply();
    });
  }
  addEventListener("hashchange", reveal);
  for (const link of all('a[href^="#c"]')) {
    // The same address again is no change, and following it would take the focus away.
    link.addEventListener("click", (event) => {
      if (location.hash !== link.hash) return;
      event.preventDefault();
      reveal();
    });
  }
  apply();
  reveal();
})();
