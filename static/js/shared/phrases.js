// Phrases of the page's own language with a place for a fact.

// The fact goes in as it is: in a plain replacement "$&" and its like would mean something.
export function filled(phrase, fact) {
  return phrase.replace("%s", () => fact);
}
