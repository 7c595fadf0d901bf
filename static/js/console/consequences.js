// A consequence that names a field of the form says what stands there now, or which field it will be.

document.addEventListener("input", ({ target }) => {
  const form = target.form ?? target.closest?.("form");
  for (const place of form?.querySelectorAll("[data-field-of]") ?? []) place.textContent = wordsFor(form, place.dataset);
});

function wordsFor(form, { fieldOf, placeholder }) {
  const field = form.elements[`value.${fieldOf}`];
  const chosen = field instanceof RadioNodeList ? [...field].find(button => button.checked) : field?.selectedOptions?.[0] ?? field;
  return (chosen?.dataset.shown ?? chosen?.value ?? "").trim() || placeholder;
}
