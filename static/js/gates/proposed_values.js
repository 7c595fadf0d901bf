// The fields of a call that an agent proposed: each says whether a person has changed the value, and puts it back.

/** Show beside a field whether it still has the value that was proposed. */
export function markChange(field) {
  const note = noteOf(field);
  note?.classList.toggle("changed", valueIn(note) !== note.dataset.proposed);
}

/** Put back what was proposed, as if a person had typed it. */
export function undoChange(note) {
  const { proposed } = note.dataset, [first] = fieldsOf(note);
  const field = first.type === "radio" ? fieldsOf(note).find(radio => radio.value === proposed) : first;
  if (field?.type === "radio") field.checked = true;
  else if (field) field.value = proposed;
  for (const type of ["input", "change"]) field?.dispatchEvent(new Event(type, { bubbles: true }));
  field?.focus();
}

function noteOf(field) {
  return field.closest(".form-fields > div")?.querySelector("[data-proposed]");
}

function fieldsOf(note) {
  return [...note.parentElement.querySelectorAll("input, select, textarea")];
}

function valueIn(note) {
  const fields = fieldsOf(note);
  const field = fields[0].type === "radio" ? fields.find(radio => radio.checked) : fields[0];
  return field?.value ?? "";
}
