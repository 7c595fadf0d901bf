// In the sentence about a decision's consequences, the name of a form field shows the field's current value.

document.addEventListener("input", ({ target }) => {
  const form = target.form ?? target.closest?.("form");
  for (const element of form?.querySelectorAll("[data-field-of]") ?? []) {
    element.textContent = currentValue(form, element.dataset) || element.dataset.placeholder;
  }
});

function currentValue(form, { fieldOf: name }) {
  const field = form.elements[`value.${name}`];
  let input = field?.selectedOptions?.[0] ?? field;
  if (field instanceof RadioNodeList) input = [...field].find(button => button.checked);
  return (input?.dataset.shown ?? input?.value ?? "").trim();
}
