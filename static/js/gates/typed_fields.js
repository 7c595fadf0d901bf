// What a person typed into the fields of a gate's card, and the way back into a card that has replaced it.
import { fitRows } from "./table_rows.js";

/** The typed fields among the entries of a FormData, as [name, value] pairs. Chosen files are not among them. */
export function typedFields(data) {
  return [...data].filter(([name, value]) => name.startsWith("value.") && typeof value === "string");
}

/** Put all typed fields into a card, as if a person had typed those that it shows differently. */
export function fillTyped(card, fields) {
  fitRows(card, fields.map(([name]) => name));
  for (const [name, value] of fields) {
    for (const field of card.querySelectorAll(`[name="${CSS.escape(name)}"]`)) fillField(field, value);
  }
}

function fillField(field, value) {
  if (field.type === "file") return;
  if (field.type === "radio" ? field.checked || field.value !== value : field.value === value) return;
  if (field.type === "radio") field.checked = true;
  else field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
