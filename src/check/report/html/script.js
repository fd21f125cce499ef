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
  const kinds = all("input[name=kind]", form);
  const chip = by("filter-rule");
  let rule = null;

  const sections = all("section.implementation").map((element) => ({
    element,
    implementation: element.dataset.implementation,
    groups: all("section.group", element).map((group) => ({
      element: group,
      text: group.dataset.text.toLowerCase(),
      list: group.querySelector("details.listed"),
      entries: all(".told", group).map((entry) => ({ element: entry, text: null })),
    })),
  }));

  const says = (entry, group, words) => {
    if (words.length === 0) return true;
    entry.text ??= (group.text + " " + entry.element.dataset.keys + " " + entry.element.textContent).toLowerCase();
    return words.every((word) => entry.text.includes(word));
  };

  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = new Set(kinds.filter((box) => box.checked).map((box) => box.value));
    let [count, total] = [0, 0];
    for (const section of sections) {
      const here = implementation.value === "" || implementation.value === section.implementation;
      let ofSection = 0;
      for (const group of section.groups) {
        let [ofGroup, ofList] = [0, 0];
        for (const entry of group.entries) {
          const { kind, keys } = entry.element.dataset;
          const visible = here && shown.has(kind)
            && (expected.checked || entry.element.dataset.expected === undefined)
            && (rule === null || keys.split(" ").includes(rule))
            && says(entry, group, words);
          entry.element.hidden = !visible;
          total += 1;
          ofGroup += visible;
          ofList += visible && entry.element.localName === "li";
        }
        group.element.hidden = ofGroup === 0;
        if (group.list) group.list.hidden = ofList === 0;
        ofSection += ofGroup;
      }
      section.element.hidden = ofSection === 0;
      count += ofSection;
    }
    by("filter-count").textContent = `${count} of ${total} shown`;
    by("nothing").hidden = count > 0;
    chip.hidden = rule === null;
    chip.textContent = rule === null ? "" : `Only ${rule} ✕`;
    chip.setAttribute("aria-label", rule === null ? "" : `Remove the filter for ${rule}`);
  };

  const reset = () => {
    form.reset();
    rule = null;
    apply();
  };

  // What an address of this page points to is opened, and gets the focus.
  const reveal = () => {
    const target = by(decodeURIComponent(location.hash.slice(1)));
    const entry = target?.closest(".told");
    if (!entry) return;
    if (entry.hidden || entry.closest("[hidden]")) reset();
    for (let outer = entry; outer; outer = outer.parentElement) {
      if (outer.localName === "details") outer.open = true;
    }
    entry.querySelector("summary")?.focus();
    entry.scrollIntoView({ block: "start" });
  };

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  chip.addEventListener("click", () => { rule = null; apply(); by("filter-reset").focus(); });
  by("filter-reset").addEventListener("click", reset);
  by("close-all").addEventListener("click", () => {
    for (const details of all("#failures details[open]")) details.open = false;
  });
  for (const cell of all("table.matrix a.cell")) {
    cell.addEventListener("click", () => {
      form.reset();
      rule = cell.dataset.key;
      // Columns stand in the order of implementations, behind the rule's name.
      implementation.value = String(cell.parentElement.cellIndex - 1);
      apply();
      // The same cell again changes no address.
      if (location.hash === cell.hash) reveal();
    });
  }
  addEventListener("hashchange", reveal);
  apply();
  reveal();
})();
