// Tags in use, added to a post's own by a press.
document.addEventListener("click", (event) => {
  const pressed = event.target.closest("[data-tag]"), tags = pressed?.form?.elements.tags;
  if (!tags || tags.value.split(",").map((one) => one.trim()).includes(pressed.dataset.tag)) return;
  tags.value = [tags.value.trim().replace(/,$/, ""), pressed.dataset.tag].filter(Boolean).join(", ");
  tags.dispatchEvent(new Event("input", { bubbles: true }));
});
