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
