// What can be written at the caret, by the JSON Schema of the language. A text that is being typed is usually no
// valid YAML, so the keys that lead to the caret are read from the indentation. In the schema, "x-refers" says what a
// value names.
import { stepNames } from "./steps.js";

const LINE = /^(\s*)((?:- +)*)(?:([\w.-]+|"[^"]*")\s*:(?:\s|$))?/;
const KEY_OR_VALUE = /^(\s*)((?:- +)*)(?:([\w.:-]+):\s+)?([\w.:!?-]*)$/;
const IN_BRACES = /\{(?:[^{}]*,)?\s*(?:([\w.:-]+):\s*)?([\w.:!?-]*)$/;
const IN_BRACKETS = /([\w.:-]+):\s*\[(?:[^[\]{}]*,)?\s*(["']?)([\w.:!?-]*)$/;
const WORD = /^[\w.:!?-]*$/;
const EXPRESSION = /^(.*?[\w-]+:\s+)("[^"]*|[^"{},#[\]]*)$/;

// The keys that lead to a column of a line; "-" stands for an item of a list.
function pathAt(doc, lineNumber, indent, inItem = false) {
  const path = inItem ? ["-"] : [];
  let limit = indent;
  for (let number = lineNumber - 1; number >= 1 && (limit > 0 || path[0] === "-"); number--) {
    const text = doc.line(number).text;
    if (!text.trim() || text.trim().startsWith("#")) continue;
    const [, lead, dashes, key] = LINE.exec(text);
    const column = lead.length + dashes.length;
    // YAML allows the items of a list at the column of the list's key.
    const isListKey = path[0] === "-" && !dashes && column === limit;
    if (key && (column < limit || isListKey)) {
      path.unshift(key.replaceAll('"', ""));
      limit = column;
    }
    if (dashes && lead.length < limit) {
      path.unshift("-");
      limit = lead.length;
    }
  }
  return path;
}

// Every schema that may describe what stands at a path. `type` picks a step's own schema where its type is written.
function schemasAt(root, path, type = "") {
  let schemas = variantsOf(root, root);
  for (const key of path) schemas = schemas.flatMap(schema => variantsOf(root, childSchema(schema, key)));
  const ofType = schemas.filter(schema => schema.properties?.type?.const === type);
  return type && ofType.length ? ofType : schemas;
}

function childSchema(schema, key) {
  if (key === "-") return schema.items;
  if (schema.properties && key in schema.properties) return schema.properties[key];
  const [anyKey] = Object.values(schema.patternProperties ?? {});
  return anyKey ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined);
}

// Follows "$ref"; the keys beside it stay, such as a description.
function resolve(root, schema) {
  if (!schema?.$ref) return schema;
  const { $ref: reference, ...others } = schema;
  const target = reference.slice("#/".length).split("/").reduce((node, key) => node[key], root);
  return resolve(root, { ...target, ...others });
}

// A schema and all its alternatives.
function variantsOf(root, schema) {
  const resolved = resolve(root, schema);
  if (!resolved) return [];
  const alternatives = ["oneOf", "anyOf", "allOf"].flatMap(keyword => resolved[keyword] ?? []);
  return [resolved, ...alternatives.flatMap(alternative => variantsOf(root, alternative))];
}

// The keys that the mapping around a line has already, with their values, among them the step's type.
function keysAround(doc, lineNumber, indent, isFirstLine) {
  const keys = new Map();
  for (const direction of isFirstLine ? [1] : [-1, 1]) {
    for (let number = lineNumber + direction; number >= 1 && number <= doc.lines; number += direction) {
      const text = doc.line(number).text;
      const [, lead, dashes] = LINE.exec(text);
      const column = lead.length + dashes.length;
      if (!text.trim() || column > indent) continue;
      if (column < indent || (direction > 0 && dashes)) break;
      for (const [, key, value] of text.matchAll(/(?:^|[\s{,-])([\w-]+):\s*([\w-]*)/g)) {
        if (!keys.has(key)) keys.set(key, value);
      }
      if (dashes) break; // the first line of the item
    }
  }
  return keys;
}

// What stands at the caret: `{path, key, word, usedKeys}`, or null where nothing can be completed. `key` is the key
// whose value is typed, and `word` the part of it that stands there already.
function contextAt(doc, position) {
  const line = doc.lineAt(position);
  const before = line.text.slice(0, position - line.from);
  const [, lead, dashes] = LINE.exec(line.text);
  const path = () => pathAt(doc, line.number, lead.length, Boolean(dashes));
  const brackets = IN_BRACKETS.exec(before);
  if (brackets) return contextInBrackets(before, brackets, path());
  const braces = IN_BRACES.exec(before);
  if (braces) return contextInBraces(line, before, braces, path());
  const typed = KEY_OR_VALUE.exec(before);
  if (!typed) return null;
  const [, , , key, word] = typed;
  const usedKeys = keysAround(doc, line.number, lead.length + dashes.length, Boolean(dashes));
  return { path: path(), key, word, usedKeys };
}

function contextInBraces(line, before, [, key, word], path) {
  const start = before.lastIndexOf("{");
  const outer = /([\w-]+):\s*\[?\s*(\{[^{}]*\},\s*)*$/.exec(before.slice(0, start));
  const pairs = [...line.text.slice(start).matchAll(/([\w-]+):\s*([\w-]*)/g)];
  const usedKeys = new Map(pairs.map(([, usedKey, value]) => [usedKey, value]));
  const inner = outer ? [outer[1], ...(before.includes("[") ? ["-"] : [])] : [];
  return { path: [...path, ...inner], key, word: word ?? before.slice(start), usedKeys };
}

function contextInBrackets(before, [, key, , word], path) {
  const opened = [...before.matchAll(/([\w.:-]+):\s*\{/g)].filter(({ index }) => !before.slice(index).includes("}"));
  return { path: [...path, ...opened.map(match => match[1]), key, "-"], key: undefined, word, usedKeys: new Map() };
}

/** CodeMirror's completion source. `schema` is the promise of a schema, or of null where it could not be fetched. */
export function completionSource(schema) {
  return async context => completionsAt(await schema, context);
}

/** CodeMirror's completions of the text at a position, or null. */
export function completionsAt(root, { state, pos, explicit }) {
  const inExpression = root && expressionOptions(root, state.doc, pos, explicit);
  if (inExpression) return inExpression;
  const context = root && contextAt(state.doc, pos);
  if (!context || (!explicit && !context.word && !context.key)) return null;
  const { path, key, word, usedKeys } = context;
  const schemas = schemasAt(root, path, usedKeys.get("type") ?? "");
  const text = state.doc.toString();
  const words = path.at(-1) === "-" ? enumOptions(schemas, text) : []; // what an item of a list can be
  const options = key ? valueOptions(root, schemas, key, text) : startOptions(root, schemas, usedKeys, words);
  return options.length ? { from: pos - word.length, options, validFor: WORD } : null;
}

// The functions, slots and fields at the caret in a condition or an expression, or null elsewhere.
function expressionOptions(root, doc, position, explicit) {
  const line = doc.lineAt(position);
  const typed = EXPRESSION.exec(line.text.slice(0, position - line.from));
  const [word] = /[a-z][\w.]*$/.exec(typed?.[2] ?? "") ?? [""];
  if (!typed || !root["x-functions"] || (!explicit && !word) || isInText(typed[2])) return null;
  const context = contextAt(doc, line.from + typed[1].length);
  if (!context?.key) return null;
  const type = context.usedKeys.get("type") ?? "";
  const schemas = schemasAt(root, context.path, type);
  const values = schemas.flatMap(schema => variantsOf(root, childSchema(schema, context.key)));
  // A value of `set` is an expression only behind an equals sign.
  const needsSign = values.some(schema => schema["x-expression"] && !schema.type && !schema.anyOf);
  if (!values.some(schema => schema["x-expression"]) || (needsSign && !/^"?=/.test(typed[2]))) return null;
  const options = expressionWords(root, doc.toString(), typed[2], word);
  return options.length ? { from: position - word.length, options, validFor: /^[\w.]*$/ } : null;
}

// Single quotes that are still open: a text is typed.
function isInText(value) {
  return (value.match(/'/g) ?? []).length % 2 === 1;
}

function expressionWords(root, text, typed, word) {
  const fields = root["x-fields"] ?? {};
  const slots = new Set([...slotNames(text), ...slotEnum(root)]);
  const paths = Object.entries(fields).flatMap(([slot, names]) => names.map(name => `${slot}.${name}`));
  const functions = Object.entries(root["x-functions"]).map(([name, { usage, summary }]) => (
    { label: name, apply: `${name}(`, type: "function", detail: usage, info: summary }
  ));
  const list = /(?:sum|count|min|max|any|all|filter|pick|sort)\((\w+)[\w.]*\s*,[^()]*$/.exec(typed)?.[1];
  const entry = (fields[list] ?? []).map(label => ({ label, type: "property", boost: 1 }));
  const names = [...slots].map(label => ({ label, type: "variable" }));
  const dotted = word.includes(".") ? paths.map(label => ({ label, type: "property" })) : [];
  return [...entry, ...names, ...dotted, ...(word.includes(".") ? [] : functions)];
}

// The slots of the assistant, which the schema knows where a key names a slot.
function slotEnum(root) {
  const defs = Object.values(root.$defs ?? {}).flatMap(({ properties = {} }) => Object.values(properties));
  return defs.find(schema => schema["x-refers"] === "slot" && schema.enum)?.enum ?? [];
}

function keyOptions(root, schemas, usedKeys) {
  const options = new Map();
  for (const { properties = {}, required } of schemas) {
    for (const [name, schema] of Object.entries(properties)) {
      if (usedKeys.has(name) || options.has(name)) continue;
      const boost = required?.includes(name) ? 1 : 0;
      const info = descriptionOf(root, schema);
      options.set(name, { label: name, apply: `${name}: `, type: "property", info, boost });
    }
  }
  return [...options.values()];
}

function valueOptions(root, schemas, key, text) {
  return enumOptions(schemas.flatMap(schema => variantsOf(root, childSchema(schema, key))), text);
}

function enumOptions(schemas, text) {
  const labels = new Set(schemas.flatMap(schema => valuesOf(schema, text)).map(String));
  return [...labels].map(label => ({ label, type: "enum" }));
}

// A word that is also a key is offered once, as the word.
function startOptions(root, schemas, usedKeys, words) {
  const labels = new Set(words.map(option => option.label));
  return [...words, ...keyOptions(root, schemas, usedKeys).filter(option => !labels.has(option.label))];
}

function valuesOf(schema, text) {
  if (schema["x-refers"] === "step") return [...stepNames(text), "end"];
  if (schema["x-refers"] === "slot") return [...(schema.enum ?? []), ...slotNames(text)];
  if (schema["x-refers"] === "record") return [...(schema.enum ?? []), ...declaredNames(text, "records")];
  if (schema["x-refers"] === "slot_type") {
    return [...(schema.enum ?? []), ...shortForms(declaredNames(text, "records"))];
  }
  if (schema.enum) return schema.enum;
  if ("const" in schema) return [schema.const];
  return schema.type === "boolean" ? [true, false] : [];
}

function slotNames(text) {
  return declaredNames(text, "slots");
}

function shortForms(records) {
  return ["", "optional ", "list of ", "optional list of "].flatMap(prefix => records.map(name => prefix + name));
}

// The slots or records that the text itself declares: the keys of the least indented level under "slots:".
function declaredNames(text, key) {
  const block = new RegExp(`^${key}:\\n((?:[ #].*\\n|\\n)*)`, "m").exec(text)?.[1] ?? "";
  const indent = /^( +)[a-z]/m.exec(block)?.[1] ?? "";
  return [...block.matchAll(/^( +)([a-z][a-z0-9_]*):/gm)].filter(match => match[1] === indent).map(match => match[2]);
}

function descriptionOf(root, schema) {
  return variantsOf(root, schema).map(({ description }) => description).find(Boolean);
}

/** The documentation of the key at a position: `{from, to, name, text}`, or null. */
export function explain(root, doc, position) {
  const line = doc.lineAt(position);
  for (const match of line.text.matchAll(/([\w-]+):(?=\s|$)/g)) {
    const name = match[1], from = line.from + match.index, to = from + name.length;
    if (position < from || position > to) continue;
    const text = keyDescription(root, doc, from, name, line.text);
    return text ? { from, to, name, text } : null;
  }
  return null;
}

function keyDescription(root, doc, position, name, lineText) {
  const context = contextAt(doc, position);
  if (!context) return null;
  const type = context.usedKeys.get("type") ?? /\btype:\s*(\w+)/.exec(lineText)?.[1] ?? "";
  const schemas = schemasAt(root, context.path, type).map(({ properties }) => properties?.[name]).filter(Boolean);
  return schemas.map(schema => descriptionOf(root, schema)).find(Boolean);
}
