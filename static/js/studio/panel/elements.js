// Small elements of the panel.
import { makeElement } from "../../shared/elements.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An icon of the sprite, which says nothing that the words beside it do not. */
export function iconElement(icons, name) {
  const svg = document.createElementNS(SVG_NAMESPACE, "svg"), use = document.createElementNS(SVG_NAMESPACE, "use");
  svg.setAttribute("class", "icon s");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${icons}#i-${name}`);
  svg.append(use);
  return svg;
}

/** A button with words; `run` is called when it is pressed. */
export function wordButton(className, words, run) {
  const button = makeElement("button", className, words);
  button.type = "button";
  button.addEventListener("click", run);
  return button;
}

/** A small button with an icon; its words are for screen readers and the tooltip. */
export function iconButton(ctx, icon, words, run) {
  const button = wordButton("btn bare square tiny", "", run);
  button.append(iconElement(ctx.icons, icon));
  button.setAttribute("aria-label", words);
  button.title = words;
  return button;
}

/** A select; `options` are [value, words]. A value that is not among them is added, so that it is not lost. */
export function selectElement(options, value, chosen) {
  const select = makeElement("select", "input");
  const known = options.some(([key]) => key === value) || !value;
  for (const [key, words] of known ? options : [...options, [value, value]]) select.append(new Option(words, key));
  select.value = value ?? "";
  select.addEventListener("change", () => chosen(select.value));
  return select;
}

/** A line, or with `rows` a field that grows with its text; `typed` hears each change. */
export function textElement(value, typed, { rows = 0 } = {}) {
  const field = makeElement(rows ? "textarea" : "input", "input");
  if (rows) field.rows = rows;
  else field.type = "text";
  field.value = value ?? "";
  field.autocomplete = "off";
  field.addEventListener("input", () => typed(field.value));
  return field;
}

/** A check box with its words. */
export function checkElement(words, checked, changed) {
  const label = makeElement("label", "check"), box = document.createElement("input");
  box.type = "checkbox";
  box.checked = checked;
  box.addEventListener("change", () => changed(box.checked));
  label.append(box, words);
  return label;
}

/** Elements in a row. */
export function inline(...children) {
  const row = makeElement("div", "inline");
  row.append(...children.filter(Boolean));
  return row;
}

/** Name a control for screen readers. */
export function named(control, words) {
  const field = control.matches("input, select, textarea") ? control : control.querySelector("input, select, textarea");
  if (field && !field.closest("label")) field.setAttribute("aria-label", words);
  return control;
}
