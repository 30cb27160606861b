// Buttons that write Markdown around the selection, so that nobody needs to know it.
(() => {
  const around = { bold: ["**", "**", "bold words"], italic: ["*", "*", "words"], code: ["`", "`", "code"], link: ["[", "](https://)", "the words"] };
  const before = { heading: "## ", quote: "> ", list: "- ", numbers: "1. " };

  const write = (area, text, from, to) => {
    area.focus();
    // execCommand, because it is the one way to write into a field that Ctrl+Z can take back.
    document.execCommand("insertText", false, text);
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

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-mark]");
    const area = button && document.getElementById(button.closest("[data-for]").dataset.for);
    if (!area) return;
    const mark = button.dataset.mark;
    if (around[mark]) wrap(area, around[mark]);
    else if (before[mark]) prefix(area, before[mark]);
  });
})();
