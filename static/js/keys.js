// What hands expect of a text field: Ctrl+B, Ctrl+I and Ctrl+K, lists that go on, an address pasted over words as their link.
(() => {
  const area = document.getElementById("markdown");
  if (!area) return;
  const marks = { b: "bold", i: "italic", k: "link" };
  const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)])|(>))(\s+)(.*)$/;
  const put = (from, to, text) => {
    area.setSelectionRange(from, to);
    area.dispatchEvent(new CustomEvent("put", { bubbles: true, detail: text }));
  };

  area.addEventListener("keydown", (event) => {
    const mark = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && marks[event.key.toLowerCase()];
    if (mark) {
      event.preventDefault();
      document.querySelector(`[data-for="${area.id}"] [data-mark="${mark}"]`).click();
    }
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
    const at = area.selectionStart, start = area.value.lastIndexOf("\n", at - 1) + 1;
    const found = at === area.selectionEnd && area.value.slice(start, at).match(item);
    if (!found) return;
    const [, indent, bullet, number, dot, quoted, space, words] = found;
    const rest = area.value.slice(at).split("\n", 1)[0];
    event.preventDefault();
    // Enter on an item without words ends the list: with an empty line, or what follows would belong to its last item.
    if (!words.trim() && !rest.trim()) put(start, at, "\n");
    else put(at, at, `\n${indent}${bullet ?? quoted ?? `${Number(number) + 1}${dot}`}${space}`);
  });

  area.addEventListener("paste", (event) => {
    const address = event.clipboardData.getData("text/plain").trim();
    const words = area.value.slice(area.selectionStart, area.selectionEnd);
    if (!words.trim() || /\n|^https?:\/\//.test(words.trim()) || !/^https?:\/\/[^\s<>()]+$/.test(address)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    put(area.selectionStart, area.selectionEnd, `[${words}](${address})`);
  });
})();
