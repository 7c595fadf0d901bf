// What may be written here, by the language's JSON Schema. A text that is being typed is usually no valid YAML, so the keys
// that lead to the caret are read from indentation. A schema's "x-refers" says what a value names.
import { stepNames } from "./steps.js";

const LINE = /^(\s*)((?:- +)*)(?:([\w.-]+|"[^"]*")\s*:(?:\s|$))?/;
const TYPED = /^(\s*)((?:- +)*)(?:([\w.:-]+):\s+)?([\w.:!?-]*)$/;
const IN_BRACES = /\{(?:[^{}]*,)?\s*(?:([\w.:-]+):\s*)?([\w.:!?-]*)$/;
const IN_BRACKETS = /([\w.:-]+):\s*\[(?:[^[\]{}]*,)?\s*(["']?)([\w.:!?-]*)$/;

/** The keys, "-" for an item of a list, that lead to a column of a line. */
export function pathAt(doc, lineNumber, indent, inItem = false) {
  const path = inItem ? ["-"] : [];
  let limit = indent;
  for (let number = lineNumber - 1; number >= 1 && (limit > 0 || path[0] === "-"); number--) {
    const text = doc.line(number).text;
    if (!text.trim() || text.trim().startsWith("#")) continue;
    const [, lead, dashes, key] = LINE.exec(text);
    const column = lead.length + dashes.length;
    const holds = path[0] === "-" && !dashes && column === limit;
    if (key && (column < limit || holds)) {
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

/** Every schema that may describe what stands at a path. `types` picks a step's own schema where its type is written. */
export function schemasAt(root, path, type = "") {
  let found = variants(root, root);
  for (const key of path) found = found.flatMap(each => variants(root, below(each, key)));
  const own = found.filter(each => each.properties?.type?.const === type);
  return type && own.length ? own : found;
}

function below(schema, key) {
  if (key === "-") return schema.items;
  if (schema.properties && key in schema.properties) return schema.properties[key];
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

function resolve(root, schema) {
  if (!schema?.$ref) return schema;
  return resolve(root, { ...schema.$ref.slice(2).split("/").reduce((node, key) => node[key], root), ...rest(schema) });
}

function rest({ $ref: _reference, ...others }) {
  return others;
}

function variants(root, schema) {
  const whole = resolve(root, schema);
  if (!whole) return [];
  const parts = ["oneOf", "anyOf", "allOf"].flatMap(kind => whole[kind] ?? []);
  return [whole, ...parts.flatMap(each => variants(root, each))];
}

// The lines of the mapping around a line: what is written there already, and which type the step has.
function around(doc, lineNumber, indent, first) {
  const keys = new Map();
  const take = text => {
    for (const [, key, value] of text.matchAll(/(?:^|[\s{,-])([\w-]+):\s*([\w-]*)/g)) if (!keys.has(key)) keys.set(key, value);
  };
  for (const way of first ? [1] : [-1, 1]) {
    for (let number = lineNumber + way; number >= 1 && number <= doc.lines; number += way) {
      const text = doc.line(number).text;
      const [, lead, dashes] = LINE.exec(text);
      const column = lead.length + dashes.length;
      if (!text.trim() || column > indent) continue;
      if (column < indent || (way > 0 && dashes)) break;
      take(text);
      if (dashes) break;
    }
  }
  return keys;
}

/** What stands at the caret: {path, key, word, used}, or null where nothing is completed. */
function situation(doc, position) {
  const line = doc.lineAt(position);
  const before = line.text.slice(0, position - line.from);
  const brackets = IN_BRACKETS.exec(before);
  const braces = brackets ? null : IN_BRACES.exec(before);
  const typed = brackets || braces ? null : TYPED.exec(before);
  if (!typed && !braces && !brackets) return null;
  const [, lead, dashes] = LINE.exec(line.text);
  const column = lead.length + dashes.length;
  const path = pathAt(doc, line.number, lead.length, Boolean(dashes));
  if (brackets) return inBrackets(before, brackets, path);
  if (braces) return inBraces(line, before, braces, path);
  const [, , , key, word] = typed;
  const used = around(doc, line.number, column, Boolean(dashes));
  return { path, key, word, used };
}

function inBraces(line, before, [, key, word], path) {
  const inner = before.slice(before.lastIndexOf("{"));
  const outer = /([\w-]+):\s*\[?\s*(\{[^{}]*\},\s*)*$/.exec(before.slice(0, before.lastIndexOf("{")));
  const used = new Map([...line.text.slice(before.lastIndexOf("{")).matchAll(/([\w-]+):\s*([\w-]*)/g)].map(each => [each[1], each[2]]));
  const into = outer ? [outer[1], ...(before.includes("[") ? ["-"] : [])] : [];
  return { path: [...path, ...into], key, word: word ?? inner, used };
}

function inBrackets(before, [, key, , word], path) {
  const outer = [...before.matchAll(/([\w.:-]+):\s*\{/g)].filter(each => !before.slice(each.index).includes("}")).map(each => each[1]);
  return { path: [...path, ...outer, key, "-"], key: undefined, word, used: new Map() };
}

/** CodeMirror's completion source; `schema` is the promise of one, null where it could not be had. */
export function completion(schema) {
  return async context => offers(await schema, context);
}

/** What completes the text at a place, or null. */
export function offers(root, { state, pos, explicit }) {
  const place = root && situation(state.doc, pos);
  if (!place || (!explicit && !place.word && !place.key)) return null;
  const { path, key, word, used } = place;
  const found = schemasAt(root, path, used.get("type") ?? "");
  const text = state.doc.toString();
  const options = key ? values(root, found, key, text) : openings(root, found, used, path.at(-1) === "-" ? entries(found, text) : []);
  return options.length ? { from: pos - word.length, options, validFor: /^[\w.:!?-]*$/ } : null;
}

function keys(root, schemas, used) {
  const options = new Map();
  for (const schema of schemas)
    for (const [name, each] of Object.entries(schema.properties ?? {})) {
      if (used.has(name) || options.has(name)) continue;
      options.set(name, { label: name, apply: `${name}: `, type: "property", info: describe(root, each), boost: schema.required?.includes(name) ? 1 : 0 });
    }
  return [...options.values()];
}

function values(root, schemas, key, text) {
  const labels = new Set();
  for (const schema of schemas)
    for (const each of variants(root, below(schema, key))) for (const label of valuesOf(each, text)) labels.add(String(label));
  return [...labels].map(label => ({ label, type: "enum" }));
}

// A word that is also a key is offered once, as the word.
function openings(root, schemas, used, words) {
  const known = new Set(words.map(each => each.label));
  return [...words, ...keys(root, schemas, used).filter(each => !known.has(each.label))];
}

// What an item of a list may be, where it is a word.
function entries(schemas, text) {
  return [...new Set(schemas.flatMap(each => valuesOf(each, text)))].map(label => ({ label: String(label), type: "enum" }));
}

function valuesOf(schema, text) {
  if (schema["x-refers"] === "step") return [...stepNames(text), "end"];
  if (schema["x-refers"] === "slot") return [...(schema.enum ?? []), ...slotNames(text)];
  if (schema.enum) return schema.enum;
  if ("const" in schema) return [schema.const];
  return schema.type === "boolean" ? [true, false] : [];
}

function slotNames(text) {
  const block = /^slots:\n((?:[ #].*\n|\n)*)/m.exec(text)?.[1] ?? "";
  const indent = /^( +)[a-z]/m.exec(block)?.[1] ?? "";
  return [...block.matchAll(/^( +)([a-z][a-z0-9_]*):/gm)].filter(each => each[1] === indent).map(each => each[2]);
}

function describe(root, schema) {
  return variants(root, schema).map(each => each.description).find(Boolean);
}

/** The documentation of the key at a position: {from, to, name, text}, or null. */
export function explain(root, doc, position) {
  const line = doc.lineAt(position);
  for (const found of line.text.matchAll(/([\w-]+):(?=\s|$)/g)) {
    const from = line.from + found.index, to = from + found[1].length;
    if (position < from || position > to) continue;
    const place = situation(doc, from);
    if (!place) return null;
    const text = place && schemasAt(root, place.path, place.used.get("type") ?? typeOf(line.text)).map(each => each.properties?.[found[1]]).filter(Boolean).map(each => describe(root, each)).find(Boolean);
    return text ? { from, to, name: found[1], text } : null;
  }
  return null;
}

function typeOf(text) {
  return /\btype:\s*(\w+)/.exec(text)?.[1] ?? "";
}
