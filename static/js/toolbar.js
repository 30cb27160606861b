// Buttons that write Markdown around the selection, so that nobody needs to know it.
(() => {
  const before = { heading: "## ", quote: "> ", list: "- ", numbers: "1. " };
  const blocks = { callout: [":::callout\n", "\n:::", "Words set apart"], quote: [":::quote\n", "\n:::", "A sentence to stop at"],
    button: [":::button\n[", "](https://)\n:::", "What it says"], gallery: [":::gallery\n", "\n:::", "![](https://) ![](https://)"],
    rule: ["", "---", ""], paywall: ["", "<!--paywall-->", ""] };

  const write = (area, text, from, to) => {
    area.focus();
    // Because it is the one way to write into a field that Ctrl+Z can take back.
    if (!document.execCommand("insertText", false, text)) {
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (from !== undefined) area.setSelectionRange(from, to);
  };
  const wrap = (area, [left, right, fallback]) => {
    const start = area.selectionStart;
    const words = area.value.slice(start, area.selectionEnd) || fallback;
    write(area, left + words + right, start + left.length, start + left.length + words.length);
  };
  const prefix = (area, mark) => {
    const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
    area.setSelectionRange(start, area.selectionEnd);
    const lines = area.value.slice(start, area.selectionEnd).split("\n");
    const marked = lines.every((line) => line.startsWith(mark));
    write(area, lines.map((line) => (marked ? line.slice(mark.length) : mark + line)).join("\n"));
  };
  // A block stands between empty lines, whatever stood around the cursor.
  const gap = (area) => ["\n\n", "\n", ""][Math.min(2, area.value.slice(0, area.selectionStart).match(/\n*$/)[0].length)];
  const block = (area, [left, right, fallback]) => wrap(area, [(area.selectionStart ? gap(area) : "") + left, right + "\n\n", fallback]);
  const note = (area) => {
    const used = [...area.value.matchAll(/\[\^(\d+)\]/g)].map((found) => Number(found[1]));
    const label = `[^${Math.max(0, ...used) + 1}]`;
    write(area, label);
    area.setSelectionRange(area.value.length, area.value.length);
    write(area, `${area.value.endsWith("\n") ? "\n" : "\n\n"}${label}: `);
  };
  const areaOf = (control) => control && document.getElementById(control.closest("[data-for]").dataset.for);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-mark]"), area = areaOf(button);
    if (!area) return;
    const kind = button.dataset.mark;
    if (before[kind]) prefix(area, before[kind]);
    else if (kind === "note") note(area);
    else if (kind === "picture") button.closest(".toolbar").querySelector("[data-picture]").click();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-block]"), area = areaOf(button);
    if (!area) return;
    button.closest("details").open = false;
    block(area, blocks[button.dataset.block]);
  });
  document.addEventListener("put", (event) => write(event.target, event.detail));
})();
