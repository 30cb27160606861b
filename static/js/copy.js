// A secret that is shown once: a press puts it on the clipboard, or chooses it where there is none.
(() => {
  for (const button of document.querySelectorAll("[data-copies]")) {
    const field = document.getElementById(button.dataset.copies);
    button.hidden = false;
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Chosen: press Ctrl+C";
      }
    });
  }
})();
