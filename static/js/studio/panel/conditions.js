// The condition builder: comparisons of slots joined by "and" or "or". A condition that says more is edited as text.
import { makeElement } from "../../shared/elements.js";
import { iconButton, inline, named, selectElement, textElement, wordButton } from "./elements.js";
import { keyOf } from "./places.js";

const NAME = "[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*)*";
const COMPARISON = new RegExp(`^(${NAME})\\s*(==|!=|>=|<=|>|<)\\s*('[^']*'|"[^"]*"|-?\\d+(?:\\.\\d+)?|true|false)$`);
const FILLED = new RegExp(`^(not )?filled\\((${NAME})\\)$`);
const PLAIN = new RegExp(`^(not )?(${NAME})$`);
const OPERATORS = ["==", "!=", ">", ">=", "<", "<=", "yes", "no", "filled", "empty"];
const WITHOUT_VALUE = ["yes", "no", "filled", "empty"];
const NUMBER_TYPES = ["integer", "number", "money"];

/**
 * The comparisons of a condition: `{joint, terms: [{slot, operator, value}]}`, none for "true"; null for one that says
 * more.
 */
export function parseCondition(text) {
  if (text === "true") return { joint: "and", terms: [] };
  const joints = [...text.matchAll(/\s(and|or)\s/g)].map(match => match[1]);
  if (new Set(joints).size > 1) return null;
  const terms = text.split(/\s(?:and|or)\s/).map(part => parseTerm(part.trim()));
  return terms.every(Boolean) ? { joint: joints[0] ?? "and", terms } : null;
}

function parseTerm(text) {
  const filled = FILLED.exec(text), plain = PLAIN.exec(text), comparison = COMPARISON.exec(text);
  if (filled) return { slot: filled[2], operator: filled[1] ? "empty" : "filled", value: "" };
  if (plain && !["true", "false"].includes(plain[2])) {
    return { slot: plain[2], operator: plain[1] ? "no" : "yes", value: "" };
  }
  if (!comparison) return null;
  const [, slot, operator, value] = comparison;
  return { slot, operator, value: /^['"]/.test(value) ? value.slice(1, -1) : value, quoted: /^['"]/.test(value) };
}

/** The condition as text; `typeOf(slot)` is the slot's type, which decides whether a value is quoted. */
export function writeCondition({ joint, terms }, typeOf) {
  return terms.map(term => writeTerm(term, typeOf(term.slot))).join(` ${joint} `);
}

function writeTerm({ slot, operator, value }, type) {
  switch (operator) {
    case "yes": return slot;
    case "no": return `not ${slot}`;
    case "filled": return `filled(${slot})`;
    case "empty": return `not filled(${slot})`;
    default: return `${slot} ${operator} ${writeValue(value, type)}`;
  }
}

function writeValue(value, type) {
  if (NUMBER_TYPES.includes(type) && value !== "" && !Number.isNaN(Number(value))) return String(Number(value));
  if (type === "boolean" && ["true", "false"].includes(value)) return value;
  return value.includes("'") ? `"${value.replaceAll('"', "")}"` : `'${value}'`;
}

/** The control of a condition at a place. `commit(text, isTyped)` hears of changes. */
export function conditionControl(ctx, place, value, commit) {
  const text = String(value ?? ""), parsed = text ? parseCondition(text) : { joint: "and", terms: [] };
  const asText = !parsed || ctx.opened.has(`text ${keyOf(place)}`);
  const box = makeElement("div", "condition");
  if (asText) box.append(expressionField(ctx, text, commit));
  else box.append(...termRows(ctx, parsed, commit));
  if (parsed) box.append(switchButton(ctx, place, asText));
  return box;
}

function expressionField(ctx, text, commit) {
  const field = textElement(text, typed => commit(typed, true), { rows: 1 });
  field.classList.add("mono");
  field.spellcheck = false;
  return named(field, ctx.phrase("condition"));
}

function switchButton(ctx, place, asText) {
  const key = `text ${keyOf(place)}`, words = ctx.phrase(asText ? "as_fields" : "as_text");
  return wordButton("btn bare tiny", words, () => {
    if (asText) ctx.opened.delete(key);
    else ctx.opened.add(key);
    ctx.refresh();
  });
}

function termRows(ctx, condition, commit) {
  const write = isTyped => {
    commit(condition.terms.length ? writeCondition(condition, ctx.slotType) : "true", isTyped);
  };
  const rows = condition.terms.map((term, index) => termRow(ctx, condition, term, {
    change(changes, isTyped = false) {
      Object.assign(term, changes);
      write(isTyped);
    },
    remove() {
      condition.terms.splice(index, 1);
      write(false);
    },
    join: index ? joint => { condition.joint = joint; write(false); } : null,
  }));
  const add = wordButton("btn bare tiny add", ctx.phrase("add_condition"), () => {
    const [slot] = ctx.names("slot");
    if (!slot) return;
    condition.terms.push(firstTerm(ctx, slot));
    write(false);
  });
  return [...rows, add];
}

function firstTerm(ctx, slot) {
  if (ctx.slotType(slot) === "boolean") return { slot, operator: "yes", value: "" };
  return { slot, operator: "filled", value: "" };
}

function termRow(ctx, { joint }, { slot, operator, value }, acts) {
  const row = makeElement("div", "term");
  if (acts.join) {
    const joints = ["and", "or"].map(word => [word, ctx.phrase(word)]);
    const joining = selectElement(joints, joint, acts.join);
    joining.classList.add("joint");
    row.append(named(joining, ctx.phrase("joint")));
  }
  const slots = ctx.names("slot").map(name => [name, name]);
  const chosen = name => acts.change({ slot: name, ...operatorFor(ctx, name, operator) });
  const operators = operatorsFor(ctx.slotType(slot), operator).map(word => [word, ctx.phrase(`operator_${word}`)]);
  const change = word => acts.change({ operator: word, value: firstValue(ctx, slot, word, value) });
  const comparison = selectElement(operators, operator, change);
  comparison.classList.add("comparison");
  row.append(named(selectElement(slots, slot, chosen), ctx.phrase("slot")), named(comparison, ctx.phrase("comparison")));
  if (!WITHOUT_VALUE.includes(operator)) row.append(valueControl(ctx, slot, value, acts.change));
  row.append(iconButton(ctx, "x", ctx.phrase("remove"), acts.remove));
  return inline(row);
}

function firstValue(ctx, slot, operator, value) {
  if (WITHOUT_VALUE.includes(operator)) return "";
  return value || (ctx.slotOptions(slot)[0]?.[0] ?? (NUMBER_TYPES.includes(ctx.slotType(slot)) ? "0" : ""));
}

function operatorFor(ctx, slot, operator) {
  const isBoolean = ctx.slotType(slot) === "boolean";
  if (isBoolean && !["yes", "no"].includes(operator)) return { operator: "yes", value: "" };
  if (!isBoolean && ["yes", "no"].includes(operator)) return { operator: "filled", value: "" };
  return {};
}

function operatorsFor(type, operator) {
  const isBoolean = type === "boolean", isOrdered = [...NUMBER_TYPES, "date", "time", "datetime"].includes(type);
  const fitting = OPERATORS.filter(word => {
    if (["yes", "no"].includes(word)) return isBoolean;
    return isOrdered || !type || !/[<>]/.test(word);
  });
  return fitting.includes(operator) ? fitting : [...fitting, operator];
}

function valueControl(ctx, slot, value, change) {
  const options = ctx.slotOptions(slot);
  if (options.length) {
    return named(selectElement(options, value, chosen => change({ value: chosen })), ctx.phrase("value"));
  }
  const field = textElement(value, typed => change({ value: typed }, true));
  if (NUMBER_TYPES.includes(ctx.slotType(slot))) field.inputMode = "decimal";
  return named(field, ctx.phrase("value"));
}
