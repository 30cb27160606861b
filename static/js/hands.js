// What hands expect of a text field: marks around words that go away when pressed again, by Ctrl+B, Ctrl+I and Ctrl+K too;
// lists that go on with Enter; tags in use, added by a press.
(() => {
  const area = document.getElementById("markdown");
  if (!area) return;
  const around = { bold: ["**", "**", "bold words"], italic: ["*", "*", "words"], code: ["`", "`", "code"], link: ["[", "](https://)", "the words"] };
  const keys = { b: "bold", i: "italic", k: "link" };
  const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)])|(>))(\s+)(.*)$/;
  const put = (from, to, text) => {
    area.setSelectionRange(from, to);
    area.dispatchEvent(new CustomEvent("put", { bubbles: true, detail: text }));
  };

  // The stars or ticks right around what is chosen, when they are this mark and not half of another.
  const worn = ([left, right]) => {
    const before = area.value.slice(0, area.selectionStart).match(/[*`]*$/)[0], after = area.value.slice(area.selectionEnd).match(/^[*`]*/)[0];
    const many = Math.min(before.length, after.length);
    return left === right && (left === "*" ? many % 2 === 1 : many >= left.length) && before.endsWith(left);
  };
  const mark = (kind) => {
    const [left, right, fallback] = around[kind], from = area.selectionStart, to = area.selectionEnd;
    const chosen = area.value.slice(from, to), words = chosen || fallback;
    const off = worn(around[kind]), start = off ? from - left.length : from + left.length;
    if (off) put(start, to + right.length, chosen);
    else put(from, to, left + words + right);
    area.setSelectionRange(start, start + (off ? chosen : words).length);
    // Words that were chosen are the link's: what is missing is its address.
    if (chosen && kind === "link") area.setSelectionRange(to + 3, to + 3 + "https://".length);
  };
  const next = (at) => {
    const start = area.value.lastIndexOf("\n", at - 1) + 1, found = area.value.slice(start, at).match(item);
    if (!found) return false;
    const [, indent, bullet, number, dot, quoted, space, words] = found;
    // An item without words ends the list: with an empty line, or what follows would belong to the item before.
    if (!(words + area.value.slice(at).split("\n", 1)[0]).trim()) put(start, at, "\n");
    else put(at, at, `\n${indent}${bullet ?? quoted ?? `${Number(number) + 1}${dot}`}${space}`);
    return true;
  };

  area.addEventListener("keydown", (event) => {
    const held = event.ctrlKey || event.metaKey, kind = held && !event.altKey && !event.shiftKey && keys[event.key.toLowerCase()];
    if (kind) { event.preventDefault(); mark(kind); }
    if (event.key !== "Enter" || held || event.altKey || event.shiftKey || event.isComposing) return;
    if (area.selectionStart === area.selectionEnd && next(area.selectionStart)) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const kind = event.target.closest("[data-mark]")?.dataset.mark, pressed = event.target.closest("[data-tag]"), tags = pressed?.form?.elements.tags;
    if (around[kind]) mark(kind);
    if (!tags || tags.value.split(",").map((one) => one.trim()).includes(pressed.dataset.tag)) return;
    tags.value = [tags.value.trim().replace(/,$/, ""), pressed.dataset.tag].filter(Boolean).join(", ");
    tags.dispatchEvent(new Event("input", { bubbles: true }));
  });
})();
