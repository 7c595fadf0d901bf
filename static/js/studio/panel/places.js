// Places of values: `{step, path}`, where the path begins at the step, or at the document without one.

/** The place of an entry below another place. */
export function below({ step, path }, ...keys) {
  return { step, path: [...path, ...keys] };
}

/** The place as a word, for elements that show it. */
export function keyOf({ step, path }) {
  return `${step}/${path.join("/")}`;
}

/** The whole path of a place in the document; null when the step is gone. */
export function fullPath(document, { step, path }) {
  if (!step) return path;
  const found = document?.steps[step];
  return found ? [...found.path, ...path] : null;
}

export function valueAt(document, place) {
  let value = document?.tree;
  for (const key of fullPath(document, place) ?? ["?"]) value = value?.[key];
  return value;
}

/** A copy of the document's values in which this place has another value; undefined deletes it. */
export function withValue(tree, [key, ...rest], value) {
  const copy = Array.isArray(tree) ? [...tree] : { ...tree };
  if (rest.length) copy[key] = withValue(copy[key] ?? (typeof rest[0] === "number" ? [] : {}), rest, value);
  else if (value !== undefined) copy[key] = value;
  else if (Array.isArray(copy)) copy.splice(key, 1);
  else delete copy[key];
  return copy;
}

/** The path as problems write it: entries of lists by their own name, "send_money.steps.approval.title". */
export function readablePath(name, tree, path) {
  const words = [name];
  let node = tree;
  for (const key of path) {
    node = node?.[key];
    const own = typeof key === "number" && node && typeof node === "object" ? node.step ?? node.id ?? node.value : "";
    words.push(typeof own === "string" && own ? own : String(key));
  }
  return words.join(".");
}

/** The mapping with one key renamed; the order stays. */
export function withRenamedKey(mapping, name, newName) {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key === name ? newName : key, value]));
}

/** The list without one of its entries. */
export function without(list, index) {
  return list.filter((_entry, other) => other !== index);
}

/** A name in small letters made from words: "New daily limit" becomes "new_daily_limit". */
export function nameFrom(words) {
  const plain = words.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "_").replace(/^[^a-z]+|_+$/g, "").slice(0, 64);
}
