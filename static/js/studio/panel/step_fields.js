// What the fields of a few step types have besides those of their schema: decisions and form of a `human` step, the
// slot of a question, the inputs and outputs of an action from its contract.
import { makeElement } from "../../shared/elements.js";
import { fillPhrase } from "../../shared/phrases.js";
import {
  checkElement, iconButton, inline, named, selectElement, textElement, wordButton,
} from "./elements.js";
import { controlOf, entryTools, fieldRow, nameControl } from "./fields.js";
import { below, keyOf, nameFrom, withRenamedKey } from "./places.js";
import {
  declaredSlot, expandSlot, newSlotRow, refusalElement, refuseName, slotControl, typeSelect,
} from "./slot_fields.js";

const NEW = "+new";

/** Rows of a step's keys that are not those of its schema, by step type and key. */
export function specialRows(ctx, type, place) {
  switch (type) {
    case "human": return humanRows(ctx, place);
    case "collect": return { slot: { always: true, row: at => slotRows(ctx, at) } };
    case "action": return { call: { always: true, row: at => callRows(ctx, at) }, ...actionRows(ctx, place) };
    default: return {};
  }
}

/** What stands below the fields of a step: the slot that a question fills. */
export function sectionsBelow(ctx, type, place) {
  const slot = type === "collect" && declaredSlot(ctx, ctx.value(below(place, "slot")));
  return slot ? [slot] : [];
}

/** The keys that the fields of a part show first, also those that are not written, by the part's name. */
export const USUAL_KEYS = {
  Say: ["message", "next"],
  Collect: ["slot", "next"],
  Confirm: ["message", "on_confirm", "on_deny"],
  Action: ["call", "inputs", "outputs", "on_error", "next"],
  Branch: ["cases", "else"],
  Human: ["title", "message", "group", "timeout", "show", "form", "actions", "four_eyes", "channels"],
  Handoff: ["queue", "message", "timeout", "on_timeout"],
  WaitStep: ["message", "next"],
  Call: ["flow", "inputs", "outputs", "result"],
  Flow: ["title", "description", "examples", "start", "if", "slots"],
  Assistant: ["title", "description", "language", "timezone", "actions", "knowledge", "responses", "settings"],
  ActionContract: ["description", "inputs", "outputs", "idempotent", "effect", "timeout"],
  Option: ["label", "synonyms"],
  Answer: ["label"],
  Settings: ["resume", "max_attempts", "session_timeout", "on_error", "on_handoff"],
  Reminder: ["message"],
  Retry: ["attempts", "delay", "backoff"],
  OptionsFrom: ["value", "label", "when"],
  EntryButtons: ["value", "label"],
  Record: ["description", "fields", "label"],
  EventContract: ["description", "payload", "start"],
};

// ---- a decision of staff ------------------------------------------------------------------------------------------

function humanRows(ctx, place) {
  return {
    timeout: { always: true, row: at => [timeLimitRow(ctx, place, at)] },
    on_timeout: { always: true, row: () => null },
    form: { always: true, row: at => [formSection(ctx, at)] },
    actions: { always: true, row: at => [decisionsSection(ctx, place, at)] },
    next: { always: true, row: () => null },
    role: { always: true, row: () => null },
  };
}

function timeLimitRow(ctx, place, at) {
  const { timeout } = ctx.definition("Human").properties, then = below(place, "on_timeout");
  const commit = (value, isTyped) => ctx.edit(at, value ?? "", { isTyped });
  const duration = controlOf(ctx, at, timeout, { commit });
  const actions = (ctx.value(below(place, "actions")) ?? []).map(action => [action.id, labelOf(ctx, action)]);
  const steps = ctx.names("step").filter(name => name !== place.step).map(name => [name, name]);
  const select = selectElement([...actions, ...steps], ctx.value(then), value => ctx.edit(then, value));
  const thenWords = makeElement("span", "soft", ctx.phrase("then"));
  const line = inline(duration, inline(thenWords, named(select, ctx.label("Human", "on_timeout"))));
  line.classList.add("wrapped");
  const row = fieldRow(ctx, at, ctx.label("Human", "timeout"), line, { hint: timeout.description });
  const inner = makeElement("div");
  inner.dataset.path = ctx.readable(then);
  row.querySelector(".field-value").append(inner);
  return row;
}

function labelOf(ctx, { id, label }, language = document.documentElement.lang) {
  const isTranslated = label && typeof label === "object";
  const words = isTranslated ? label[language] ?? label[ctx.language] ?? Object.values(label)[0] : label;
  return words || id;
}

function section(ctx, title, hint, place) {
  const box = makeElement("section", "part-section"), head = makeElement("h2", "", title);
  head.append(" ", makeElement("small", "", hint));
  box.append(head);
  box.dataset.path = ctx.readable(place);
  return box;
}

function decisionsSection(ctx, place, at) {
  const box = section(ctx, ctx.label("Human", "actions"), ctx.phrase("and_next_step"), at);
  const actions = ctx.value(at) ?? [];
  actions.forEach((_action, index) => box.append(decisionElement(ctx, place, at, index)));
  if (ctx.isWritable) box.append(wordButton("btn bare tiny add", ctx.phrase("add_action"), () => addAction(ctx, at)));
  return box;
}

function addAction(ctx, at) {
  const actions = ctx.value(at) ?? [], ids = actions.map(({ id }) => id);
  let number = actions.length + 1;
  while (ids.includes(`action_${number}`)) number += 1;
  ctx.edit(at, [...actions, { id: `action_${number}`, label: "" }]);
  ctx.refresh(keyOf(below(at, actions.length)));
}

function decisionElement(ctx, place, at, index) {
  const own = below(at, index), action = ctx.value(own), { properties } = ctx.definition("HumanAction");
  const entry = makeElement("div", `entry decision ${action.style ?? ""}`);
  entry.dataset.field = keyOf(own);
  entry.dataset.path = ctx.readable(own);
  const label = controlOf(ctx, below(own, "label"), properties.label, {
    commit: (words, isTyped) => relabel(ctx, place, own, words, isTyped), isRequired: true,
  });
  const set = (key, value) => ctx.edit(below(own, key), value, { order: ctx.orderOf("HumanAction") });
  const styles = properties.style.enum.map(word => [word, ctx.value_label(word)]);
  const style = selectElement(styles, action.style ?? "default", word => {
    set("style", word === "default" ? undefined : word);
  });
  const reason = checkElement(ctx.phrase("needs_reason"), action.reason === "required", checked => {
    set("reason", checked ? "required" : undefined);
  });
  const look = ctx.label("HumanAction", "style");
  const content = makeElement("div", "entry-fields");
  content.append(
    cardRow(ctx.label("HumanAction", "label"), named(label, ctx.label("HumanAction", "label"))),
    cardRow(ctx.label("HumanAction", "id"), idField(ctx, place, own)),
    cardRow(look, inline(named(style, look), reason)),
    cardRow(ctx.label("Human", "next"), nextSelect(ctx, place, own)),
  );
  const tools = ctx.isWritable ? entryTools(ctx, at, index, value => ctx.edit(at, value ?? [])) : [];
  entry.append(cardHead(labelOf(ctx, action), tools), content);
  return entry;
}

function cardHead(title, buttons) {
  const head = makeElement("div", "card-head"), tools = makeElement("div", "entry-tools");
  tools.append(...buttons);
  head.append(makeElement("b", "grow clip", title), tools);
  return head;
}

// A control of a card beside its words. The control has a name of its own for screen readers.
function cardRow(words, control) {
  const row = makeElement("div", "card-row"), label = makeElement("span", "label", words);
  label.setAttribute("aria-hidden", "true");
  row.append(label, control);
  return row;
}

function nextSelect(ctx, place, own) {
  const { id } = ctx.value(own), nextPlace = below(place, "next");
  const chosen = step => {
    const { [id]: _old, ...rest } = ctx.value(nextPlace) ?? {}, targets = step ? { ...rest, [id]: step } : rest;
    ctx.edit(nextPlace, Object.keys(targets).length ? targets : undefined, { order: ctx.orderOf("Human") });
  };
  const select = nameControl(ctx, below(nextPlace, id), ctx.value(nextPlace)?.[id], { refers: "step", commit: chosen });
  return named(select, `${ctx.phrase("next_after")} ${labelOf(ctx, ctx.value(own))}`);
}

// The identifier follows the label until the author writes one.
function relabel(ctx, place, own, words, isTyped) {
  const action = ctx.value(own), label = words ?? "";
  const idFor = text => nameFrom(labelOf(ctx, { id: "", label: text }, ctx.language));
  const isAutomatic = /^action_\d+$/.test(action.id) || action.id === idFor(action.label), id = idFor(label);
  const edit = { place: below(own, "label"), value: label };
  if (!isAutomatic || !id || id === action.id) return ctx.editAll([edit], { isTyped });
  ctx.editAll([edit, ...renameEdits(ctx, place, own, id)], { isTyped });
}

function renameEdits(ctx, place, own, id) {
  const old = ctx.value(own).id, next = ctx.value(below(place, "next")), then = below(place, "on_timeout");
  return [
    { place: below(own, "id"), value: id },
    ...(next && old in next ? [{ place: below(place, "next"), value: withRenamedKey(next, old, id) }] : []),
    ...(ctx.value(then) === old ? [{ place: then, value: id }] : []),
  ];
}

function idField(ctx, place, own) {
  const field = textElement(ctx.value(own).id, () => {});
  field.className = "input mono identifier";
  field.addEventListener("change", () => {
    const id = nameFrom(field.value);
    if (id && id !== ctx.value(own).id) ctx.editAll(renameEdits(ctx, place, own, id));
  });
  return named(field, ctx.label("HumanAction", "id"));
}

// ---- the form of staff --------------------------------------------------------------------------------------------

function formSection(ctx, at) {
  const box = section(ctx, ctx.label("Human", "form"), ctx.phrase("what_staff_fill"), at);
  for (const name of Object.keys(ctx.value(at) ?? {})) box.append(questionElement(ctx, at, name));
  const add = () => addQuestion(ctx, at);
  if (ctx.isWritable) box.append(wordButton("btn bare tiny add", ctx.phrase("add_question"), add));
  return box;
}

function addQuestion(ctx, at) {
  const form = ctx.value(at) ?? {};
  let number = Object.keys(form).length + 1;
  while (`question_${number}` in form) number += 1;
  const name = `question_${number}`;
  ctx.edit(at, { ...form, [name]: { type: "text", required: false } }, { order: ctx.orderOf("Human") });
  ctx.refresh(keyOf(below(at, name)));
}

function questionElement(ctx, at, name) {
  const own = below(at, name), slot = expandSlot(ctx.value(own)), key = `card ${keyOf(own)}`;
  const entry = makeElement("div", "entry question"), content = makeElement("div", "entry-fields");
  entry.dataset.field = keyOf(own);
  entry.dataset.path = ctx.readable(own);
  const set = (changes, isTyped) => ctx.edit(own, cleaned({ ...expandSlot(ctx.value(own)), ...changes }), { isTyped });
  const words = controlOf(ctx, below(own, "description"), ctx.definition("Slot").properties.description, {
    commit: (description, isTyped) => set({ description }, isTyped),
  });
  const required = checkElement(ctx.phrase("required"), slot.required !== false, checked => {
    set({ required: checked ? undefined : false });
  });
  content.append(
    cardRow(ctx.phrase("question"), named(words, ctx.phrase("question"))),
    cardRow(ctx.phrase("name"), inline(questionName(ctx, at, name), required)),
  );
  if (ctx.opened.has(key)) content.append(slotControl(ctx, own, { commit: set }));
  else content.append(cardRow(ctx.label("Slot", "type"), typeLine(ctx, { own, slot, set })));
  const tools = ctx.isWritable ? [
    iconButton(ctx, "more", ctx.phrase("details"), () => toggle(ctx, key)),
    iconButton(ctx, "x", `${ctx.phrase("remove")} ${name}`, () => {
      const { [name]: _gone, ...rest } = ctx.value(at);
      ctx.edit(at, Object.keys(rest).length ? rest : undefined);
    }),
  ] : [];
  entry.append(cardHead(labelOf(ctx, { id: name, label: slot.description }), tools), content);
  return entry;
}

function typeLine(ctx, { own, slot, set }) {
  const type = typeSelect(ctx, slot.type, word => set({ type: word, ...(word === "choice" && { options: [""] }) }));
  const limits = ["integer", "number", "money"].includes(slot.type) ? [
    limitField(ctx, own, "minimum", ctx.phrase("from")), limitField(ctx, own, "maximum", ctx.phrase("to")),
  ] : [];
  const line = inline(named(type, ctx.label("Slot", "type")), ...limits.flat());
  line.classList.add("wrapped");
  return line;
}

function limitField(ctx, own, key, words) {
  const at = below(own, key), schema = ctx.definition("Slot").properties[key];
  const field = controlOf(ctx, at, schema, {
    commit: (value, isTyped) => ctx.edit(at, value, { isTyped, order: ctx.orderOf("Slot") }),
  });
  field.classList.add("amount");
  return [makeElement("span", "soft", words), named(field, ctx.label("Slot", key))];
}

function questionName(ctx, at, name) {
  const field = textElement(name, () => {});
  field.className = "input mono identifier";
  field.addEventListener("change", () => {
    const newName = nameFrom(field.value), form = ctx.value(at);
    if (newName && newName !== name && !(newName in form)) ctx.edit(at, withRenamedKey(form, name, newName));
    else field.value = name;
  });
  return named(field, ctx.phrase("name"));
}

function toggle(ctx, key) {
  if (ctx.opened.has(key)) ctx.opened.delete(key);
  else ctx.opened.add(key);
  ctx.refresh();
}

function cleaned(mapping) {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== undefined));
}

// ---- a question to the user ---------------------------------------------------------------------------------------

function slotRows(ctx, at) {
  const key = `new ${keyOf(at)}`, value = ctx.value(at), slots = ctx.names("slot").map(name => [name, name]);
  const options = [...slots, ...(ctx.isWritable ? [[NEW, ctx.phrase("new_slot")]] : [])];
  const select = selectElement(options, value ?? "", chosen => {
    if (chosen !== NEW) return ctx.edit(at, chosen);
    ctx.opened.add(key);
    ctx.refresh(key);
  });
  select.classList.add("mono");
  const row = fieldRow(ctx, at, ctx.label("Collect", "slot"), select);
  const created = slot => [{ place: at, value: slot }];
  const isUnknown = value && !ctx.names("slot").includes(value) && ctx.isWritable;
  const name = isUnknown ? value : "";
  return [row, ...(ctx.opened.has(key) || isUnknown ? [newSlotRow(ctx, at, { name, created })] : [])];
}

// ---- an action ----------------------------------------------------------------------------------------------------

function callRows(ctx, at) {
  const key = `new ${keyOf(at)}`, value = ctx.value(at) ?? "", actions = ctx.names("action");
  const options = actions.map(name => [name, name]);
  if (ctx.isWritable) options.push([NEW, ctx.phrase("new_action")]);
  const select = selectElement(value ? options : [["", ctx.phrase("none")], ...options], value, chosen => {
    if (chosen !== NEW) return ctx.edit(at, chosen);
    ctx.opened.add(key);
    ctx.refresh(key);
  });
  select.classList.add("mono");
  const row = fieldRow(ctx, at, ctx.label("Action", "call"), select);
  if (actions.includes(value)) row.querySelector(".field-value").append(settingsLink(ctx, value));
  const isUnknown = value && !actions.includes(value) && ctx.isWritable;
  return [row, ...(ctx.opened.has(key) || isUnknown ? [newActionRow(ctx, at, key, isUnknown ? value : "")] : [])];
}

function settingsLink(ctx, name) {
  const link = makeElement("a", "small", fillPhrase(ctx.phrase("describe_action"), name));
  link.href = `../assistant/#field=/actions/${name}`;
  return link;
}

function newActionRow(ctx, at, key, name) {
  const field = makeElement("input", "input mono"), refusal = refusalElement();
  field.value = name;
  field.autocomplete = "off";
  const create = async () => {
    const action = nameFrom(field.value);
    if (!action) return refuseName(ctx, field);
    const words = await ctx.declareAction(action);
    refusal.hidden = !words;
    refusal.textContent = words;
    if (words) return;
    ctx.opened.delete(key);
    if (ctx.value(at) === action) ctx.refresh(keyOf(at));
    else ctx.edit(at, action);
  };
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    create();
  });
  const button = wordButton("btn tiny", ctx.phrase("create"), create);
  const row = inline(named(field, ctx.phrase("action_name")), button, refusal);
  row.classList.add("wrapped");
  row.dataset.field = key;
  return row;
}

function actionRows(ctx, place) {
  const contract = ctx.contracts()[ctx.value(below(place, "call"))];
  if (!contract) return {};
  const none = { always: true, row: () => null };
  const shown = (slots, makeSection) => {
    return Object.keys(slots).length ? { always: true, row: at => [makeSection(ctx, at, contract)] } : none;
  };
  return { inputs: shown(contract.inputs, inputsSection), outputs: shown(contract.outputs, outputsSection) };
}

function inputsSection(ctx, at, { inputs }) {
  const box = section(ctx, ctx.label("Action", "inputs"), ctx.phrase("what_action_gets"), at);
  const slots = ctx.names("slot");
  for (const [name, type] of Object.entries(inputs)) {
    const own = below(at, name), value = ctx.value(own);
    const field = textElement(value === undefined ? "" : String(value), text => {
      const known = Object.keys(inputs).filter(input => slots.includes(input)).map(input => [input, input]);
      const written = { ...(ctx.value(at) ?? Object.fromEntries(known)), [name]: text };
      if (!text) delete written[name];
      const isUsual = Object.entries(written).every(([input, expression]) => input === expression);
      ctx.edit(at, isUsual ? undefined : written, { isTyped: true, order: ctx.orderOf("Action") });
    });
    field.classList.add("mono");
    if (slots.includes(name) && !ctx.value(at)) field.placeholder = name;
    box.append(fieldRow(ctx, own, `${name} · ${ctx.value_label(type)}`, field));
  }
  return box;
}

function outputsSection(ctx, at, { outputs }) {
  const box = section(ctx, ctx.label("Action", "outputs"), ctx.phrase("where_results_go"), at);
  for (const [name, type] of Object.entries(outputs)) {
    const own = below(at, name), slots = ctx.names("slot"), canCreate = !slots.includes(name);
    const options = [["", ctx.phrase("not_kept")], ...slots.map(slot => [slot, slot])];
    if (canCreate) options.push([NEW, `${ctx.phrase("new_slot")} ${name}`]);
    const select = selectElement(options, ctx.value(own) ?? "", chosen => keepOutput(ctx, at, name, type, chosen));
    select.classList.add("mono");
    box.append(fieldRow(ctx, own, `${name} · ${ctx.value_label(type)}`, select));
  }
  return box;
}

function keepOutput(ctx, at, name, type, chosen) {
  const { [name]: _old, ...rest } = ctx.value(at) ?? {}, slot = chosen === NEW ? name : chosen;
  const outputs = slot ? { ...rest, [name]: slot } : rest;
  const declared = { place: { step: "", path: ["slots", name] }, value: { type, required: false } };
  ctx.editAll([
    ...(chosen === NEW ? [{ ...declared, order: ctx.orderOf("Flow") }] : []),
    { place: at, value: Object.keys(outputs).length ? outputs : undefined, order: ctx.orderOf("Action") },
  ]);
}
