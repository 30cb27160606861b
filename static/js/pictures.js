// Pictures that are dropped, pasted or chosen: sent at once, asked what they show, written at the cursor.
(() => {
  const area = document.getElementById("markdown"), form = document.getElementById("desk"), ask = document.getElementById("ask");
  if (!area || !form || !ask?.showModal) return;
  const chosen = document.querySelector("[data-picture]"), told = document.querySelector("[data-told]");
  const images = (files) => [...(files ?? [])].filter((file) => file.type.startsWith("image/"));

  const send = async (file) => {
    if (file.size > 20e6) return { error: `${file.name} has ${Math.round(file.size / 1e6)} MB; 20 MB are taken.` };
    const body = new FormData();
    body.append("image", file, file.name || "pasted");
    try {
      const answer = await fetch(`${form.dataset.posts}/pictures`, { method: "POST", body });
      return await answer.json();
    } catch {
      return { error: "The picture did not arrive: Godwit did not answer. Try again." };
    }
  };
  const question = (file, url) => new Promise((resolve) => {
    const words = ask.querySelector("input");
    words.value = "";
    ask.querySelector("[data-name]").textContent = file.name;
    ask.querySelector("[data-shown]").src = url;
    ask.returnValue = "";
    ask.showModal();
    words.focus();
    ask.addEventListener("close", () => resolve({ how: ask.returnValue, alt: words.value.trim() }), { once: true });
  });
  const take = async (files) => {
    let at = area.selectionEnd;
    for (const file of files) {
      told.textContent = `Sending ${file.name}`;
      const sent = await send(file);
      told.textContent = sent.error ?? "";
      if (!sent.url) continue;
      const { how, alt } = await question(file, sent.url);
      if (!how) continue;
      if (how === "put" && !alt) told.textContent = "The picture has no description yet: write it between the brackets.";
      const words = how === "decorates" ? "" : alt.replace(/[\\[\]]/g, "\\$&");
      // The question took the cursor along: it goes back to where the picture was dropped.
      area.blur();
      area.focus();
      area.setSelectionRange(at, at);
      const start = at && !area.value.slice(0, at).endsWith("\n") ? "\n\n" : "";
      area.dispatchEvent(new CustomEvent("put", { bubbles: true, detail: `${start}![${words}](${sent.url})\n` }));
      at = area.selectionEnd;
    }
  };

  chosen.addEventListener("change", () => { take(images(chosen.files)).then(() => { chosen.value = ""; }); });
  area.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  area.addEventListener("drop", (event) => {
    const files = images(event.dataTransfer.files);
    if (!files.length) return;
    event.preventDefault();
    take(files);
  });
  area.addEventListener("pictures", (event) => take(images(event.detail)));
})();
