// Autosave of <form data-editor>: one save in flight at a time, each with the version the last one answered.
// The form carries hx-post, hx-trigger="save" and hx-target="#saved"; the answer is that fragment with the new version in it.
(() => {
  const form = document.querySelector("form[data-editor]");
  if (!form || !window.htmx) return;
  let timer = 0, typed = 0, sent = 0, inFlight = false, leaving = false;
  const saved = () => document.getElementById("saved");
  const stuck = () => ["conflict", "invalid"].includes(saved()?.dataset.state);
  const say = (state, words) => {
    const line = saved();
    if (!line || stuck()) return;
    line.dataset.state = state;
    line.querySelector("[data-words]").textContent = words;
  };

  const save = () => {
    clearTimeout(timer);
    if (inFlight || typed === sent) return;
    if (saved()?.dataset.state === "conflict") return;
    inFlight = true;
    sent = typed;
    say("saving", "Saving");
    htmx.trigger(form, "save");
  };
  const soon = (delay) => { clearTimeout(timer); timer = setTimeout(save, delay); };

  form.addEventListener("input", (event) => {
    if (event.target.closest("[data-unsaved]")) return;
    typed += 1;
    say("dirty", "Not saved yet");
    soon(900);
  });
  form.addEventListener("htmx:finally:request", (event) => {
    if (event.target !== form) return;
    inFlight = false;
    const status = event.detail.ctx.response?.status ?? 0;
    if (status >= 200 && status < 300) {
      // A new post has its own address from its first save on: loading the page again brings it back.
      if (location.pathname !== new URL(form.action).pathname) history.replaceState(null, "", form.action);
      return typed !== sent ? soon(300) : undefined;
    }
    sent = -1;
    if (status === 401) return soon(5000);
    if (status === 0 || status >= 500) { say("failed", "Not saved: Godwit did not answer. Trying again."); soon(5000); }
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.name === "title") {
      event.preventDefault();
      form.elements.markdown.focus();
    }
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    save();
  });
  form.addEventListener("submit", () => { leaving = true; clearTimeout(timer); });
  addEventListener("beforeunload", (event) => {
    if (!leaving && (typed !== sent || inFlight)) event.preventDefault();
  });
})();
