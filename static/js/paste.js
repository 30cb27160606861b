// What is pasted from Docs, Word, Substack or a page keeps its form: the server turns it into Markdown.
(() => {
  const area = document.getElementById("markdown"), form = document.getElementById("desk");
  if (!area || !form) return;
  const told = document.querySelector("[data-told]");
  const formed = /<(h[1-6]|[uo]l|li|a\s|img|b|strong|i|em|table|blockquote|pre|p\s[^>]*mso-list)\b|font-weight:\s*(bold|[6-9]00)|font-style:\s*italic/i;
  const put = (text) => area.dispatchEvent(new CustomEvent("put", { bubbles: true, detail: text }));

  const convert = async (html, plain) => {
    area.setAttribute("aria-busy", "true");
    told.textContent = "Taking over what you pasted";
    let made;
    try {
      const answer = await fetch(`${form.dataset.posts}/paste`, { method: "POST", body: new URLSearchParams({ html }) });
      made = await answer.json();
    } catch {
      made = { error: "Pasted as plain text: Godwit did not answer." };
    }
    area.removeAttribute("aria-busy");
    const inLine = made.markdown && !made.markdown.trim().includes("\n");
    put(made.markdown ? (inLine ? made.markdown.trim() : made.markdown) : plain);
    told.textContent = made.error ?? made.lost ?? "";
  };

  area.addEventListener("paste", (event) => {
    const html = event.clipboardData.getData("text/html"), plain = event.clipboardData.getData("text/plain");
    const files = [...event.clipboardData.files];
    const words = area.value.slice(area.selectionStart, area.selectionEnd).trim();
    // An address pasted over words is their link.
    if (words && !/\n|^https?:\/\//.test(words) && /^https?:\/\/[^\s<>()]+$/.test(plain.trim())) {
      event.preventDefault();
      return put(`[${words}](${plain.trim()})`);
    }
    // A picture copied from a page comes as a file and as HTML that names it: the file is the picture.
    if (files.length && !plain.trim()) {
      event.preventDefault();
      area.dispatchEvent(new CustomEvent("pictures", { detail: files }));
    } else if (html && formed.test(html)) {
      event.preventDefault();
      convert(html, plain);
    }
  });
})();
