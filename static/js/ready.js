// Says on <html> when the page's scripts are bound, and on each region when an answer is awaited.
(() => {
  const region = (event) => {
    const target = event.detail?.ctx?.target;
    return target instanceof Element && target !== document.body ? target : null;
  };
  document.addEventListener("htmx:before:request", (event) => {
    if (event.target.hasAttribute?.("hx-sse:connect")) return;
    region(event)?.setAttribute("aria-busy", "true");
  });
  document.addEventListener("htmx:finally:request", (event) => region(event)?.removeAttribute("aria-busy"));

  // Signed out while writing: the desk stays, or what was typed would be gone with it. Whoever signs in again in another
  // tab is signed in here too, and the next try is saved.
  document.addEventListener("htmx:before:response", (event) => {
    const line = document.getElementById("saved");
    if (!line || event.detail.ctx.response.status !== 401) return;
    event.preventDefault();
    if (["conflict", "invalid"].includes(line.dataset.state)) return;
    const link = Object.assign(document.createElement("a"), { href: "/sign-in", target: "_blank", textContent: "Sign in in another tab" });
    const words = line.querySelector("[data-words]");
    words.textContent = line.dataset.state === "saved" ? "You are signed out. " : "Not saved: you are signed out. ";
    words.append(link, "; this page then goes on by itself.");
    line.dataset.state = "failed";
  });

  // One menu open at a time; Escape or a click elsewhere puts it away.
  const close = (except) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(except)) menu.open = false;
    }
  };
  document.addEventListener("click", (event) => close(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector("details[data-menu][open]");
    if (open) { open.open = false; open.querySelector("summary").focus(); }
  });

  const ready = () => setTimeout(() => { document.documentElement.dataset.ready = ""; });
  if (document.readyState === "complete") ready();
  else addEventListener("DOMContentLoaded", ready);
})();
