// Phrases in the page's language, as its data attributes carry them, with "%s" where a value goes.

/** The phrase with its "%s" replaced by `value`. */
export function fillPhrase(phrase, value) {
  // By a function, because in a replacement string "$&" and its like have a meaning.
  return phrase.replace("%s", () => value);
}
