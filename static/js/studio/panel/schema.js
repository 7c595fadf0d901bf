// What can be written in a part of the language, by its JSON Schema: which keys it has, and which control fits a value.

const MARKS = ["x-control", "x-expression", "x-refers"];

/** Follows "$ref"; `name` is the part's name, such as Slot. The keys beside the reference stay. */
export function resolve(root, schema) {
  if (!schema?.$ref) return schema ?? {};
  const { $ref: reference, ...others } = schema;
  const name = reference.split("/").at(-1);
  return { ...resolve(root, root.$defs[name]), name, ...others };
}

/** The schema's alternatives but for null, each with the marks of those around it. */
export function alternativesOf(root, schema) {
  const whole = resolve(root, schema), nested = whole.anyOf ?? whole.oneOf;
  if (!nested) return whole.type === "null" ? [] : [whole];
  const marks = Object.fromEntries(MARKS.filter(mark => mark in whole).map(mark => [mark, whole[mark]]));
  return nested.flatMap(alternative => alternativesOf(root, { ...marks, ...alternative }));
}

/**
 * Which control a value gets: `{kind, ...}`. `value` decides between alternatives, such as a list of options or a
 * mapping that says where they come from.
 */
export function kindOf(root, schema, value) {
  const alternatives = alternativesOf(root, schema);
  const mark = name => alternatives.map(alternative => alternative[name]).find(Boolean);
  if (mark("x-control")) return { kind: mark("x-control") };
  if (mark("x-expression")) return { kind: expressionKind(alternatives) };
  if (alternatives.some(({ name }) => name === "Slot")) return { kind: "slot" };
  const fitting = alternatives.find(alternative => fits(alternative, value)) ?? alternatives[0] ?? {};
  const others = alternatives.filter(alternative => alternative !== fitting && isCollection(alternative));
  return { ...simpleKind(root, fitting, alternatives), others };
}

function expressionKind(alternatives) {
  if (alternatives.length === 1 && !alternatives[0].type) return "literal";
  return alternatives.length === 1 ? "condition" : "expression";
}

function isCollection({ type }) {
  return type === "array" || type === "object";
}

function fits({ type, properties, additionalProperties, patternProperties }, value) {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return type === "array";
  if (typeof value === "object") return Boolean(properties ?? additionalProperties ?? patternProperties);
  return type !== "array" && type !== "object";
}

function simpleKind(root, schema, alternatives) {
  if (schema["x-refers"]) return { kind: "name", refers: schema["x-refers"] };
  if (schema.enum && alternatives.length === 1) return { kind: "choice", values: schema.enum };
  if (schema.enum) return { kind: "suggested", values: schema.enum };
  const kinds = { boolean: "flag", integer: "number", number: "number", array: "list", object: "mapping" };
  if (alternatives.some(({ type }) => type === "number") && alternatives.some(({ type }) => type === "string")) {
    return { kind: "literal" };
  }
  if (schema.type === "array") return { kind: "list", items: schema.items ?? {} };
  if (schema.properties) return { kind: "part", definition: schema };
  if (schema.type === "object") return { kind: "mapping", ...entriesOf(schema) };
  return { kind: kinds[schema.type] ?? (schema.type === "string" ? "text" : "literal"), minimum: schema.minimum };
}

function entriesOf({ additionalProperties, patternProperties, propertyNames }) {
  const [anyKey] = Object.values(patternProperties ?? {});
  return { entries: anyKey ?? additionalProperties ?? {}, refers: propertyNames?.["x-refers"] ?? "" };
}

/** The schema of a step of this type, or null. */
export function stepSchema(root, type) {
  const found = Object.entries(root.$defs).find(([, { properties }]) => properties?.type?.const === type);
  return found ? { ...found[1], name: found[0] } : null;
}
