// Tables in a gate's form: rows are added and removed without asking the server. For pages without scripts it does so.

const ROW_BUTTON = "button[name=rows]";

/** Let the buttons of every table below `pane` work on the page. The card there may be replaced at any time. */
export function watchTableRows(pane) {
  pane.addEventListener("click", event => {
    const button = event.target.closest(ROW_BUTTON);
    if (!button) return;
    event.preventDefault();
    if (button.value.startsWith("add:")) addRow(button);
    else removeRow(button);
  });
}

/** Give the tables of a form as many rows as these names of fields need. */
export function fitRows(form, names) {
  for (const button of form.querySelectorAll(`${ROW_BUTTON}[value^="add:"]`)) {
    const fieldName = `${button.value.slice("add:".length)}.`;
    const cells = names.filter(name => name.startsWith(fieldName));
    if (cells.length === 0) continue;
    const body = bodyOf(button), count = Math.max(...cells.map(name => parseInt(name.slice(fieldName.length)))) + 1;
    while (body.rows.length < count) appendRow(button);
    while (body.rows.length > count) body.rows[count].remove();
    renumber(body, button);
  }
}

function addRow(button) {
  appendRow(button).querySelector("input, select").focus();
}

function appendRow(button) {
  const body = bodyOf(button);
  const row = body.rows[body.rows.length - 1].cloneNode(true);
  clear(row);
  body.append(row);
  renumber(body, button);
  return row;
}

function bodyOf(addButton) {
  return document.getElementById(addButton.getAttribute("aria-controls")).tBodies[0];
}

function removeRow(button) {
  const row = button.closest("tr"), body = row.parentNode, table = body.parentNode;
  const addButton = document.querySelector(`${ROW_BUTTON}[aria-controls="${table.id}"]`);
  if (body.rows.length > 1) row.remove();
  else clear(row);
  renumber(body, addButton);
  addButton.focus();
  addButton.dispatchEvent(new Event("input", { bubbles: true })); // the draft is saved without the row
}

function clear(row) {
  for (const error of row.querySelectorAll(".field-error")) error.remove();
  for (const field of row.querySelectorAll("input, select")) {
    field.value = "";
    for (const name of ["aria-invalid", "aria-describedby", "data-first"]) field.removeAttribute(name);
  }
}

// Names, ids and labels hold the number of their row: value.items.2.price, field-g12-0-2-price, "Items 3: price".
function renumber(body, addButton) {
  [...body.rows].forEach((row, number) => {
    const fieldName = addButton.value.slice("add:".length);
    for (const field of row.querySelectorAll("input, select")) {
      const [old, ...path] = field.name.slice(fieldName.length + 1).split(".");
      const idStart = field.id.slice(0, field.id.length - [old, ...path].join("-").length);
      const label = field.getAttribute("aria-label").replace(` ${Number(old) + 1}:`, ` ${number + 1}:`);
      field.setAttribute("aria-label", label);
      field.name = [fieldName, number, ...path].join(".");
      field.id = idStart + [number, ...path].join("-");
    }
    const button = row.querySelector(ROW_BUTTON);
    button.value = `remove:${fieldName}.${number}`;
    button.setAttribute("aria-label", `${button.dataset.label} ${number + 1}`);
  });
  addButton.disabled = body.rows.length >= Number(addButton.dataset.maxRows);
}
