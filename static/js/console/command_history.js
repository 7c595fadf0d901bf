// The lines that were sent in this tab, for the next page of it. What may hold a secret the server says not to keep, and
// whoever signs in here next finds none of them.

const NAME = "soni_lines";
const MOST = 50;

export function read(who) {
  const kept = JSON.parse(sessionStorage.getItem(NAME) ?? "{}");
  if (kept.who === who) return kept.lines;
  sessionStorage.removeItem(NAME);
  return [];
}

export function keep(who, line) {
  sessionStorage.setItem(NAME, JSON.stringify({ who, lines: [...read(who), line].slice(-MOST) }));
}
