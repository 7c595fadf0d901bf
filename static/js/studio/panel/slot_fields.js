// The fields of a slot: its type, and what fits it: limits, options, fields of an object.
import { makeElement } from "../../shared/elements.js";
import { checkElement, inline, named, selectElement, wordButton } from "./elements.js";
import { fieldRow, partRows } from "./fields.js";
import { keyOf, nameFrom } from "./places.js";
import { resolve } from "./schema.js";

const SHORT_FORM = /^(optional )?(list of )?([a-z][a-z0-9_]*)$/;
const USUAL_BY_TYPE = {
  text: ["pattern"],
  integer: ["minimum", "maximum"],
  number: ["minimum", "maximum"],
  money: ["currency", "minimum", "maximum"],
  date: ["not_past"],
  choice: ["options"],
  list: ["items"],
  object: ["fields"],
  file: ["kinds"],
};

/** A slot's definition as a mapping: "optional text" is {type: text, required: false}. */
export function expandSlot(value) {
  if (typeof value !== "string") return value ?? {};
  const [, optional, list, type] = SHORT_FORM.exec(value) ?? [null, "", "", value];
  const expanded = list ? { type: "list", items: type } : { type };
  return optional ? { ...expanded, required: false } : expanded;
}

/** The control of a slot. One in a short form stays short until it gets more than a type. */
export function slotControl(ctx, place, { commit }) {
  const value = ctx.value(place), slot = expandSlot(value);
  const box = makeElement("div", "slot-fields");
  if (typeof value === "string" && slot.type !== "list") return shortControl(ctx, place, slot, commit);
  if (typeof value === "string") {
    box.append(wordButton("btn bare tiny add", `${value} · ${ctx.phrase("details")}`, () => commit(slot)));
    return box;
  }
  const definition = resolve(ctx.root, { $ref: "#/$defs/Slot" });
  box.append(...partRows(ctx, place, definition, {
    usual: usualKeys(place, slot.type),
    hidden: unfittingKeys(ctx, slot),
    special: {
      type: {
        always: true,
        row: at => [fieldRow(ctx, at, ctx.label("Slot", "type"), typeSelect(ctx, slot.type, type => {
          const rest = Object.entries(ctx.value(place) ?? {});
          const fitting = rest.filter(([key]) => key === "type" || !unfittingKeys(ctx, { type }).includes(key));
          commit({ ...Object.fromEntries(fitting), type, ...(type === "list" && { items: "text" }) });
        }))],
      },
    },
  }));
  return box;
}

function usualKeys(place, type) {
  const isForm = place.path.includes("form");
  const texts = isForm ? ["description"] : ["description", "prompt"];
  return ["type", ...texts, ...(USUAL_BY_TYPE[type] ?? []), "required", ...(isForm ? [] : ["sensitive"])];
}

function unfittingKeys(ctx, slot) {
  const limits = Object.entries(ctx.root["x-limits"]).filter(([, types]) => !types.includes(slot.type));
  const keys = limits.map(([limit]) => limit).filter(key => !(key in slot));
  return keys.filter(key => key !== "options" || !["list", "object"].includes(slot.type));
}

function shortControl(ctx, place, slot, commit) {
  const write = (type, isRequired) => commit(`${isRequired ? "" : "optional "}${type}`);
  const isRequired = slot.required !== false;
  const optional = checkElement(ctx.phrase("optional"), !isRequired, checked => write(slot.type, !checked));
  const select = typeSelect(ctx, slot.type, type => {
    if (["choice", "list", "object"].includes(type)) commit({ ...slot, ...firstParts(type), type });
    else write(type, isRequired);
  });
  const more = wordButton("btn bare tiny", ctx.phrase("details"), () => commit(slot));
  return inline(named(select, ctx.label("Slot", "type")), optional, ctx.isWritable && more);
}

function firstParts(type) {
  return { choice: { options: [""] }, list: { items: "text" }, object: { fields: { name: "text" } } }[type];
}

/** The types of slots, the assistant's records among them. */
export function typeSelect(ctx, type, chosen) {
  const words = ctx.names("slot_type_word").map(name => [name, ctx.value_label(name)]);
  return selectElement(words, type ?? "", chosen);
}

/** Say below the field that no name can be made of what was typed. */
export function refuseName(ctx, field) {
  const words = field.closest("[data-field]").querySelector("[role=alert]");
  field.setAttribute("aria-invalid", "true");
  words.hidden = false;
  words.textContent = ctx.phrase("name_needs_letter");
  field.focus();
}

/** An empty line for what is wrong with a row of new names. */
export function refusalElement() {
  const words = makeElement("p", "fix error");
  words.hidden = true;
  words.setAttribute("role", "alert");
  return words;
}

/** A row that declares a new slot of the flow; `created(name)` returns the edits that use it. */
export function newSlotRow(ctx, place, { name = "", type = "text", created }) {
  const field = makeElement("input", "input mono"), key = `new ${keyOf(place)}`;
  field.value = name;
  field.autocomplete = "off";
  field.dataset.newSlot = "";
  let chosenType = type;
  const create = () => {
    const slot = nameFrom(field.value);
    if (!slot) return refuseName(ctx, field);
    ctx.opened.delete(key);
    const isKnown = ctx.names("slot").includes(slot);
    const value = { type: chosenType, ...firstParts(chosenType) };
    const declared = { place: { step: "", path: ["slots", slot] }, value, order: ctx.orderOf("Flow") };
    ctx.editAll([...(isKnown ? [] : [declared]), ...created(slot)]);
  };
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    create();
  });
  const row = inline(
    named(field, ctx.phrase("slot_name")),
    named(typeSelect(ctx, type, word => { chosenType = word; }), ctx.label("Slot", "type")),
    wordButton("btn tiny", ctx.phrase("create"), create),
    refusalElement(),
  );
  row.classList.add("wrapped");
  row.dataset.field = key;
  return row;
}

/** The fields of a slot that the flow declares, as a part of another panel. */
export function declaredSlot(ctx, name) {
  const place = { step: "", path: ["slots", name] };
  if (ctx.value(place) === undefined) return null;
  const section = makeElement("section", "part-section"), title = makeElement("h2", "", ctx.phrase("slot"));
  title.append(" ", makeElement("code", "", name));
  section.dataset.path = ctx.readable(place);
  section.append(title, slotControl(ctx, place, {
    commit: (value, isTyped) => ctx.edit(place, value, { isTyped }),
  }));
  return section;
}

