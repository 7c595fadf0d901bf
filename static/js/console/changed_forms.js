// The button of a form that is saved by itself (data-changes) is filled when the form was changed; where a page has
// several, only that of the form that was changed last.

const FORM = "form[data-changes]";

function isChanged(field) {
  if (field.options) {
    const first = [...field.options].findIndex(option => option.defaultSelected);
    return field.selectedIndex !== Math.max(first, 0);
  }
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.type !== "hidden" && field.value !== field.defaultValue;
}

document.addEventListener("input", ({ target }) => {
  const changed = target.closest(FORM);
  if (!changed) return;
  for (const form of document.querySelectorAll(FORM)) {
    const isMain = form === changed && [...form.querySelectorAll("input, select, textarea")].some(isChanged);
    form.querySelector("button").classList.toggle("main", isMain);
  }
});
