// The command lines that were sent in this tab, for the arrow keys on its next pages. Lines that may hold a secret
// are not kept, as the server says of each, and a person who signs in later does not see those of the one before.

const STORAGE_KEY = "soni_lines";
const MAX_LINES = 50;

/** The lines of this person, the oldest first. */
export function readLines(person) {
  const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}");
  if (stored.who === person) return stored.lines;
  sessionStorage.removeItem(STORAGE_KEY);
  return [];
}

export function addLine(person, line) {
  const lines = [...readLines(person), line].slice(-MAX_LINES);
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ who: person, lines }));
}
