// The fields of any part of the language, by its schema: a new key or step type gets its control from here. What a few
// parts have besides is in `step_fields.js` and `slot_fields.js`.
import { makeElement } from "../../shared/elements.js";
import { fillPhrase } from "../../shared/phrases.js";
import { conditionControl } from "./conditions.js";
import { checkElement, iconButton, inline, named, selectElement, textElement, wordButton } from "./elements.js";
import { nameSearch } from "./name_search.js";
import { below, keyOf, nameFrom, withRenamedKey, without } from "./places.js";
import { alternativesOf, kindOf, resolve } from "./schema.js";

export const LANGUAGES = ["en", "es", "de", "fr", "it", "pt", "nl", "ca"];
const MAX_OFFERED_KEYS = 8; // more than these stand under "More", but for frequent ones
const MAX_UNSEARCHED_NAMES = 10; // a longer choice of names gets a search field
const FREQUENT_KEYS = [
  "message", "prompt", "description", "options", "buttons", "minimum", "maximum", "default", "next", "on_error",
  "on_failure", "timeout", "on_timeout", "reminder", "due", "queue", "if",
];
const UNITS = ["s", "m", "h", "d", "w"];
const DURATION = /^(\d+)([smhdw])$/;
const LAST_KEYS = ["next", "note", "metadata"];

/** A row: the label, the control and room for the problems of a place. */
export function fieldRow(ctx, place, label, control, { hint = "", wide = false } = {}) {
  const row = makeElement("div", wide ? "field-row wide" : "field-row");
  row.dataset.field = keyOf(place);
  row.dataset.path = ctx.readable(place);
  const field = control.matches("input, select, textarea") ? control : null;
  const name = makeElement(field ? "label" : "span", "label", label);
  if (hint) name.title = hint;
  if (field) {
    field.id = `field-${keyOf(place)}`;
    name.htmlFor = field.id;
  } else if (!control.hasAttribute("aria-label")) {
    control.setAttribute("role", "group");
    control.setAttribute("aria-label", label);
  }
  const value = makeElement("div", "field-value");
  value.append(control);
  row.append(name, value);
  return row;
}

/**
 * The rows of a part: of the keys that it needs, that it has and that are `usual`; buttons add the others. `special`
 * has rows of its own by key: `row(place)` returns elements, or null for keys that another row shows.
 */
export function partRows(ctx, place, schema, { usual = [], special = {}, hidden = [] } = {}) {
  const definition = resolve(ctx.root, schema), stored = ctx.value(place);
  // A part may be written in its short form, such as an address instead of an object.
  const value = stored !== null && typeof stored === "object" ? stored : {};
  const keys = inReadingOrder(orderOf(definition), usual);
  const isShown = key => key in value || usual.includes(key) || definition.required?.includes(key)
    || ctx.opened.has(keyOf(below(place, key)));
  const known = keys.filter(key => !hidden.includes(key));
  const rows = known.filter(key => isShown(key) || special[key]?.always).flatMap(key => {
    if (special[key]) return special[key].row(below(place, key)) ?? [];
    return [keyRow(ctx, place, definition, key)];
  });
  const isOffered = key => !isShown(key) && !special[key]?.always && !("const" in definition.properties[key]);
  const others = known.filter(isOffered);
  return [...rows, ...(others.length && ctx.isWritable ? [moreRow(ctx, place, definition, others)] : [])];
}

/** The keys of a part in the order in which people write them. */
export function orderOf({ properties }) {
  const keys = Object.keys(properties);
  return [...keys.filter(key => !LAST_KEYS.includes(key)), ...LAST_KEYS.filter(key => keys.includes(key))];
}

// The usual keys come first, in their own order.
function inReadingOrder(keys, usual) {
  const known = usual.filter(key => keys.includes(key));
  return [...known, ...keys.filter(key => !known.includes(key))];
}

function keyRow(ctx, place, definition, key) {
  const schema = definition.properties[key], at = below(place, key), label = ctx.label(definition.name, key);
  const isRequired = definition.required?.includes(key) ?? false;
  return schemaRow(ctx, at, schema, { label, isRequired, order: orderOf(definition) });
}

/** The row of a value of any schema. */
export function schemaRow(ctx, place, schema, { label, isRequired = false, order = [] }) {
  const { kind } = kindOf(ctx.root, schema, ctx.value(place));
  const commit = (value, isTyped = false) => ctx.edit(place, value, { order, isTyped });
  const control = controlOf(ctx, place, schema, { commit, isRequired, label });
  if (kind === "flag" || kind === "required") return flagRow(ctx, place, schema, { label, kind, commit });
  const wide = ["list", "mapping", "part", "slot", "condition"].includes(kind);
  return fieldRow(ctx, place, label, control, { hint: schema.description, wide });
}

function flagRow(ctx, place, schema, { label, kind, commit }) {
  const isOn = kind === "required" ? ctx.value(place) === "required" : ctx.value(place) ?? schema.default ?? false;
  const on = kind === "required" ? "required" : true, off = kind === "required" ? undefined : false;
  const box = checkElement(label, isOn, checked => {
    const value = checked ? on : off;
    commit(value === schema.default ? undefined : value);
  });
  const row = makeElement("div", "field-row flag");
  row.dataset.field = keyOf(place);
  row.dataset.path = ctx.readable(place);
  const words = makeElement("div", "field-value");
  if (schema.description) box.title = schema.description;
  words.append(box);
  row.append(words);
  return row;
}

function moreRow(ctx, place, definition, keys) {
  const row = makeElement("div", "more-fields"), isMany = keys.length > MAX_OFFERED_KEYS;
  const rare = isMany ? keys.filter(key => !FREQUENT_KEYS.includes(key)) : [];
  const chip = key => moreChip(ctx, place, definition, key);
  row.append(...keys.filter(key => !rare.includes(key)).map(chip));
  if (rare.length) row.append(rareKeys(ctx, rare.map(chip)));
  return row;
}

function rareKeys(ctx, chips) {
  const details = makeElement("details", "more-keys"), box = document.createElement("div");
  box.append(...chips);
  details.append(makeElement("summary", "", `${ctx.phrase("more_fields")} (${chips.length})`), box);
  return details;
}

function moreChip(ctx, place, definition, key) {
  const button = wordButton("chip line", ctx.label(definition.name, key), () => {
    ctx.opened.add(keyOf(below(place, key)));
    ctx.refresh(keyOf(below(place, key)));
  });
  button.title = definition.properties[key].description ?? "";
  button.dataset.adds = key;
  return button;
}

// ---- controls -----------------------------------------------------------------------------------------------------

/** The control of a value. `commit(value, isTyped)` hears of changes; undefined deletes the key. */
export function controlOf(ctx, place, schema, { commit, isRequired = false, label = "", isCard = false }) {
  const value = ctx.value(place), found = kindOf(ctx.root, schema, value);
  const typed = text => commit(text === "" && !isRequired ? undefined : text, true);
  switch (found.kind) {
    case "words": return wordsControl(ctx, place, value, { commit, typed, rows: 0, label });
    case "message": return wordsControl(ctx, place, value, { commit, typed, rows: 2, label });
    case "duration": return durationControl(ctx, value, { commit, typed });
    case "condition": return conditionControl(ctx, place, value, commit);
    case "expression": return monoField(value, typed, schema);
    case "name": return nameControl(ctx, place, value, { ...found, commit, isRequired, label });
    case "choice": return choiceControl(ctx, value ?? schema.default, found.values, commit, schema.default);
    case "suggested": {
      const options = found.values.map(word => [word, word]);
      return suggestedControl(ctx, place, value, options, { typed, label });
    }
    case "group": return suggestedControl(ctx, place, value, groupOptions(ctx), { typed, label });
    case "number": return numberControl(value, schema, commit);
    case "literal": return literalControl(value, commit);
    case "list": return listControl(ctx, place, found, { commit, label });
    case "mapping": return mappingControl(ctx, place, found, { commit, label });
    case "slot": return ctx.slotControl(place, { commit });
    case "part": return partControl(ctx, place, found.definition, { commit, isCard });
    default: return textElement(value, typed, { rows: String(value ?? "").includes("\n") ? 3 : 0 });
  }
}

function wordsControl(ctx, place, value, { commit, typed, rows, label }) {
  const box = makeElement("div", "words");
  if (value === null || typeof value !== "object") {
    const field = named(textElement(value, typed, { rows }), label || ctx.label("", place.path.at(-1)));
    box.append(inline(field, ctx.isWritable && translateButton(ctx, place, commit)));
    return box;
  }
  for (const tag of Object.keys(value)) box.append(translationRow(ctx, place, tag, { commit, rows }));
  const others = LANGUAGES.filter(tag => !(tag in value)).map(tag => [tag, languageName(tag)]);
  const add = tag => commit({ ...ctx.value(place), [tag]: "" });
  const words = ctx.phrase("add_language");
  const select = named(selectElement([["", `+ ${words}`], ...others], "", add), words);
  select.classList.add("adds-language");
  box.append(select);
  return box;
}

/** The language in the words of the page's language. */
export function languageName(tag) {
  return new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" }).of(tag);
}

function translateButton(ctx, place, commit) {
  const button = wordButton("btn bare tiny translate", `${ctx.language} +`, () => {
    const other = LANGUAGES.find(tag => tag !== ctx.language);
    commit({ [ctx.language]: ctx.value(place) ?? "", [other]: "" });
  });
  button.setAttribute("aria-label", ctx.phrase("translate"));
  button.title = ctx.phrase("translate");
  return button;
}

function translationRow(ctx, place, tag, { commit, rows }) {
  const write = text => commit({ ...ctx.value(place), [tag]: text }, true);
  const field = textElement(ctx.value(place)[tag], write, { rows });
  field.lang = tag;
  const words = languageName(tag);
  const remove = iconButton(ctx, "x", `${ctx.phrase("remove")} ${words}`, () => {
    const { [tag]: _gone, ...rest } = ctx.value(place), tags = Object.keys(rest);
    commit(tags.length === 1 ? rest[tags[0]] : rest);
  });
  return inline(makeElement("span", "language-name", words), named(field, words), remove);
}

function durationControl(ctx, value, { commit, typed }) {
  const text = String(value ?? ""), simple = DURATION.exec(text);
  if (text && !simple) return monoField(text, typed, {});
  const amount = textElement(simple?.[1] ?? "", write);
  const unit = selectElement(UNITS.map(word => [word, ctx.phrase(`unit_${word}`)]), simple?.[2] ?? "m", write);
  amount.className = "input amount";
  amount.inputMode = "numeric";
  function write() {
    const digits = amount.value.replace(/\D/g, "");
    commit(digits ? `${digits}${unit.value}` : undefined, true);
  }
  const box = inline(named(amount, ctx.phrase("amount")), named(unit, ctx.phrase("unit")));
  return box;
}

function monoField(value, typed, { description = "" }) {
  const field = textElement(value === undefined ? "" : String(value), typed);
  field.classList.add("mono");
  field.spellcheck = false;
  field.title = description;
  return field;
}

const WITHOUT_STEP = {
  on_error: "apologises_and_ends", on_empty: "told_and_ends", on_failure: "person_takes_over",
  on_deny: "asked_what_to_change", on_timeout: "none",
};

/** The phrase for what happens when no step is chosen: the keys after a failure do not lead to the following step. */
function withoutStep(place) {
  return WITHOUT_STEP[place.path.at(-1)] ?? "following_step";
}

/** A select of names: steps, slots, actions, flows. */
export function nameControl(ctx, place, value, { refers, commit, isRequired, placeholder }) {
  const none = placeholder ?? ctx.phrase(refers === "step" ? withoutStep(place) : "none");
  const options = ctx.names(refers, place).map(name => [name, name]);
  const chosen = name => commit(name || undefined);
  const isOpen = !isRequired || !value;
  const select = selectElement([...(isOpen ? [["", none]] : []), ...options], value ?? "", chosen);
  select.classList.add("mono");
  return select;
}

function choiceControl(ctx, value, values, commit, standard) {
  const options = values.map(word => [word, ctx.value_label(word)]);
  return selectElement(options, value ?? "", word => commit(word === standard ? undefined : word));
}

// The groups that flows may ask, with how many people of each may decide.
function groupOptions(ctx) {
  const words = people => people === 1 ? ctx.phrase("one_decides") : fillPhrase(ctx.phrase("many_decide"), people);
  return Object.entries(ctx.root["x-groups"]).map(([name, people]) => [name, `${name} · ${words(people)}`]);
}

/** A field of any text that offers some; `options` are [value, words]. */
function suggestedControl(ctx, place, value, options, { typed, label }) {
  const field = textElement(value, typed), list = document.createElement("datalist");
  list.id = `values-${keyOf(place)}`;
  list.append(...options.map(([name, words]) => new Option(words, name)));
  field.setAttribute("list", list.id);
  const box = makeElement("div");
  box.append(field, list);
  named(box, label || ctx.label("", place.path.at(-1)));
  return box;
}

function numberControl(value, schema, commit) {
  const field = textElement(value ?? "", text => {
    const number = Number(text.replace(",", "."));
    commit(text.trim() === "" ? undefined : Number.isNaN(number) ? text : number, true);
  });
  field.className = "input amount";
  field.inputMode = "decimal";
  if (schema.default !== undefined && schema.default !== null) field.placeholder = schema.default;
  return field;
}

/** A value that may be a number, a truth value, an expression or a text. */
export function literalControl(value, commit, { isText = false } = {}) {
  const field = textElement(value === undefined || value === null ? "" : String(value), text => {
    commit(text === "" ? undefined : isText ? text : literalOf(text), true);
  });
  return field;
}

function literalOf(text) {
  if (["true", "false"].includes(text)) return text === "true";
  if (text === "~") return null;
  return text.trim() && !Number.isNaN(Number(text)) && !/^0\d/.test(text) ? Number(text) : text;
}

// ---- lists --------------------------------------------------------------------------------------------------------

function listControl(ctx, place, { items, others }, { commit, label }) {
  const item = kindOf(ctx.root, items), list = ctx.value(place) ?? [];
  if (item.kind === "name") return chipsControl(ctx, place, item.refers, commit);
  const box = makeElement("div", "entries");
  list.forEach((_entry, index) => box.append(entryElement(ctx, place, items, index, { commit, label })));
  box.append(...addButtons(ctx, place, items, { commit, label, others }));
  return box;
}

function addButtons(ctx, place, items, { commit, others }) {
  if (!ctx.isWritable) return [];
  const add = wordButton("btn bare tiny add", ctx.phrase("add"), () => {
    const list = ctx.value(place) ?? [];
    const first = emptyValue(ctx, items, list.length);
    commit([...list, first]);
    ctx.refresh(keyOf(below(place, list.length)));
  });
  const isMapping = others?.find(({ properties }) => properties);
  if (!isMapping || ctx.value(place)?.length) return [add];
  const fromData = wordButton("btn bare tiny add", ctx.phrase("from_data"), () => commit({ from: "" }));
  return [add, fromData];
}

/** What a new entry is: a text where one may stand, else the keys that it needs. */
export function emptyValue(ctx, schema) {
  const alternatives = alternativesOf(ctx.root, schema);
  if (alternatives.some(({ type, properties }) => type === "string" && !properties)) return "";
  const definition = alternatives.find(({ properties }) => properties);
  if (!definition) return alternatives[0]?.type === "array" ? [] : "";
  const needed = (definition.required ?? []).map(key => [key, emptyKey(ctx, definition.properties[key])]);
  return Object.fromEntries(needed);
}

function emptyKey(ctx, schema) {
  const { kind, values, refers } = kindOf(ctx.root, schema);
  if (kind === "choice") return values[0];
  if (kind === "condition") return "true";
  if (kind === "duration") return "1d";
  if (kind === "list") return [""];
  if (kind === "mapping") return {};
  if (refers === "step") return "end";
  return "";
}

function entryElement(ctx, place, items, index, { commit, label }) {
  const at = below(place, index), value = ctx.value(at), entry = makeElement("div", "entry");
  entry.dataset.field = keyOf(at);
  entry.dataset.path = ctx.readable(at);
  const content = makeElement("div", "entry-fields");
  const definition = alternativesOf(ctx.root, items).find(({ properties }) => properties);
  const isPart = definition && value !== null && typeof value === "object" && kindOf(ctx.root, items).kind !== "words";
  const write = (changed, isTyped) => ctx.edit(at, changed === undefined ? "" : changed, { isTyped });
  if (isPart) content.append(...partRows(ctx, at, definition, { usual: ctx.usual(definition.name) }));
  else content.append(named(controlOf(ctx, at, items, { commit: write, isRequired: true }), `${label} ${index + 1}`));
  const tools = makeElement("div", "entry-tools");
  if (definition && !isPart && ctx.isWritable) {
    const [key] = definition.name === "Answer" ? ["label"] : definition.required ?? ["value"];
    tools.append(iconButton(ctx, "more", ctx.phrase("details"), () => ctx.edit(at, { [key]: ctx.value(at) ?? "" })));
  }
  if (ctx.isWritable) tools.append(...entryTools(ctx, place, index, commit));
  entry.append(content, tools);
  return entry;
}

/** Buttons that move an entry of a list up, or delete it. */
export function entryTools(ctx, place, index, commit) {
  const up = iconButton(ctx, "up", ctx.phrase("move_up"), () => {
    const list = [...ctx.value(place)];
    [list[index - 1], list[index]] = [list[index], list[index - 1]];
    commit(list);
  });
  const remove = iconButton(ctx, "x", ctx.phrase("remove"), () => {
    const rest = without(ctx.value(place), index);
    commit(rest.length ? rest : undefined);
  });
  return index ? [up, remove] : [remove];
}

/** Names as chips, with a select that adds one. */
export function chipsControl(ctx, place, refers, commit) {
  const list = ctx.value(place) ?? [], box = makeElement("div", "tags");
  list.forEach((name, index) => {
    const chip = makeElement("span", "tag", name), type = refers === "slot" ? ctx.slotType(name) : "";
    if (type) chip.append(makeElement("small", "", ctx.value_label(type)));
    const rest = () => without(ctx.value(place), index);
    const remove = () => commit(rest().length ? rest() : undefined);
    if (ctx.isWritable) chip.append(iconButton(ctx, "x", `${ctx.phrase("remove")} ${name}`, remove));
    box.append(chip);
  });
  const others = ctx.names(refers, place).filter(name => !list.includes(name)).map(name => [name, name]);
  const add = name => commit([...(ctx.value(place) ?? []), name]);
  if (ctx.isWritable && others.length) {
    const select = selectElement([["", ctx.phrase("add")], ...others], "", add);
    select.classList.add("adds");
    box.append(named(select, ctx.phrase("add")));
  }
  return box;
}

// ---- mappings and parts -------------------------------------------------------------------------------------------

// A card has a button of its own that removes it.
function partControl(ctx, place, definition, { commit, isCard }) {
  const box = makeElement("div", "part");
  box.append(...partRows(ctx, place, definition, { usual: ctx.usual(definition.name) }));
  if (ctx.isWritable && !isCard && ctx.value(place) !== undefined) {
    box.append(wordButton("btn bare tiny add", ctx.phrase("remove"), () => {
      ctx.opened.delete(keyOf(place));
      commit(undefined);
    }));
  }
  return box;
}

/** Names with values: those of inputs, slots, contracts, questions. */
export function mappingControl(ctx, place, { entries, refers }, { commit, label }) {
  const box = makeElement("div", "entries");
  for (const name of Object.keys(ctx.value(place) ?? {})) {
    box.append(mappingEntry(ctx, place, name, entries, { commit, refers }));
  }
  if (ctx.isWritable) box.append(newNameRow(ctx, place, { entries, refers, commit, label }));
  return box;
}

function mappingEntry(ctx, place, name, entries, { commit, refers }) {
  const at = below(place, name), { kind } = kindOf(ctx.root, entries, ctx.value(at));
  const write = (value, isTyped) => ctx.edit(at, value === undefined ? "" : value, { isTyped });
  const remove = () => {
    const { [name]: _gone, ...rest } = ctx.value(place);
    commit(Object.keys(rest).length ? rest : undefined);
  };
  const isShort = kind === "slot" && typeof ctx.value(at) === "string";
  const isCard = ["part", "mapping", "slot"].includes(kind) && !isShort;
  if (isCard) return cardElement(ctx, place, name, entries, { commit, remove });
  const row = makeElement("div", "entry pair");
  row.dataset.field = keyOf(at);
  row.dataset.path = ctx.readable(at);
  const control = named(controlOf(ctx, at, entries, { commit: write, isRequired: true, label: name }), name);
  row.append(refers ? makeElement("code", "", name) : nameField(ctx, place, name, commit), control);
  if (ctx.isWritable) row.append(iconButton(ctx, "x", `${ctx.phrase("remove")} ${name}`, remove));
  return row;
}

/** An entry that opens: its name and type, and below them its fields. */
function cardElement(ctx, place, name, entries, { commit, remove }) {
  const at = below(place, name), card = makeElement("details", "card-entry"), summary = makeElement("summary");
  card.dataset.path = ctx.readable(at);
  card.dataset.card = keyOf(at);
  card.open = ctx.opened.has(`card ${keyOf(at)}`);
  card.addEventListener("toggle", () => {
    if (card.open) ctx.opened.add(`card ${keyOf(at)}`);
    else ctx.opened.delete(`card ${keyOf(at)}`);
  });
  summary.append(makeElement("b", "", name), makeElement("small", "clip", ctx.summary(ctx.value(at))));
  const content = makeElement("div", "card-fields");
  const rename = nameField(ctx, place, name, commit);
  content.append(fieldRow(ctx, below(at, "name of"), ctx.phrase("name"), rename));
  const write = (value, isTyped) => ctx.edit(at, value, { isTyped });
  content.append(controlOf(ctx, at, entries, { commit: write, isCard: true }));
  if (ctx.isWritable) {
    content.append(wordButton("btn tiny", `${ctx.phrase("remove")} ${name}`, remove));
  }
  card.append(summary, content);
  return card;
}

function nameField(ctx, place, name, commit) {
  const field = textElement(name, () => {});
  field.classList.add("mono");
  field.spellcheck = false;
  named(field, ctx.phrase("name"));
  field.addEventListener("change", () => {
    const newName = place.path.at(-1) === "columns" ? field.value.trim() : nameFrom(field.value);
    const mapping = ctx.value(place);
    if (!newName || newName === name || newName in mapping) field.value = name;
    else commit(withRenamedKey(mapping, name, newName));
  });
  return field;
}

// Names that have words are shown by them, in their groups.
function optionsByGroup(names, wordsOf) {
  const groups = new Map();
  for (const name of names) {
    const { group = "", text = name } = wordsOf(name) ?? {};
    groups.set(group, [...groups.get(group) ?? [], new Option(text, name)]);
  }
  return [...groups].flatMap(([group, options]) => {
    if (!group) return options;
    const box = document.createElement("optgroup");
    box.label = group;
    box.append(...options);
    return [box];
  });
}

/** The phrase for the field of a new name, by the key of its mapping. */
const NEW_NAMES = { actions: "new_action_name", knowledge: "new_answer_name", slots: "new_slot_name" };

function newNameRow(ctx, place, { entries, refers, commit, label }) {
  const write = name => {
    if (!name || name in (ctx.value(place) ?? {})) return;
    ctx.opened.add(`card ${keyOf(below(place, name))}`);
    commit({ ...ctx.value(place), [name]: ctx.newEntry(place, entries) });
    ctx.refresh(keyOf(below(place, name)));
  };
  const names = refers ? ctx.names(refers, place) : ctx.knownKeys(place);
  if (names.length) {
    const free = names.filter(name => !(name in (ctx.value(place) ?? {})));
    const select = selectElement([["", ctx.phrase("add")]], "", write);
    select.append(...optionsByGroup(free, name => ctx.keyWords(place, name)));
    select.classList.add("adds");
    named(select, `${ctx.phrase("add")}: ${label}`);
    if (free.length <= MAX_UNSEARCHED_NAMES) return select;
    const choices = free.map(name => ({ name, group: "", text: name, ...ctx.keyWords(place, name) }));
    return inline(nameSearch(ctx, choices, label, write), select);
  }
  const field = textElement("", () => {});
  field.placeholder = ctx.phrase(NEW_NAMES[place.path.at(-1)] ?? "new_name");
  field.classList.add("mono");
  field.dataset.adds = keyOf(place);
  named(field, `${field.placeholder}: ${label}`);
  const add = () => write(place.path.at(-1) === "columns" ? field.value.trim() : nameFrom(field.value));
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  });
  return inline(field, wordButton("btn tiny", ctx.phrase("add"), add));
}
