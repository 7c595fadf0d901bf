// In the sentence about a decision's consequences, the name of a form field shows the field's current value.

const LANGUAGE = document.documentElement.lang || "en";
const DATETIME_STYLE = { dateStyle: "long", timeStyle: "short" };

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
  return input?.dataset.shown ?? formatted((input?.value ?? "").trim(), input?.dataset.format);
}

// What is typed as the server shows it, once it is a whole value: "money:EUR", "number", "date", "time", "datetime".
function formatted(text, format = "") {
  const [kind, currency] = format.split(":");
  if (kind === "money" || kind === "number") return formattedNumber(text, currency);
  const styles = { date: { dateStyle: "long" }, time: { timeStyle: "short" }, datetime: DATETIME_STYLE }[kind];
  const moment = new Date(kind === "time" ? `2000-01-01T${text}` : kind === "date" ? `${text}T00:00` : text);
  return styles && !Number.isNaN(moment.getTime()) ? new Intl.DateTimeFormat(LANGUAGE, styles).format(moment) : text;
}

function formattedNumber(text, currency) {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text;
  if (!currency) return new Intl.NumberFormat(LANGUAGE, { useGrouping: false }).format(Number(text));
  return new Intl.NumberFormat(LANGUAGE, { style: "currency", currency }).format(Number(text));
}
