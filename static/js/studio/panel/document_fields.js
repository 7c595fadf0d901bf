// What the fields of the assistant's settings have besides those of their schema: languages and time zones by name.
import { fieldRow, languageName, LANGUAGES } from "./fields.js";
import { selectElement } from "./elements.js";

/** Rows of a document's keys that are not those of its schema, by key. */
export function documentSpecials(ctx, name) {
  if (name !== "Assistant") return {};
  return {
    language: { always: true, row: at => [choiceRow(ctx, at, "language", languages(), "en")] },
    timezone: { always: true, row: at => [choiceRow(ctx, at, "timezone", zones(), "UTC")] },
  };
}

function choiceRow(ctx, at, key, options, standard) {
  const select = selectElement(options, ctx.value(at) ?? standard, value => {
    ctx.edit(at, value, { order: ctx.orderOf("Assistant") });
  });
  return fieldRow(ctx, at, ctx.label("Assistant", key), select);
}

function languages() {
  return LANGUAGES.map(tag => [tag, `${languageName(tag)} (${tag})`]);
}

function zones() {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter(name => name !== "UTC")].map(name => [name, name]);
}
