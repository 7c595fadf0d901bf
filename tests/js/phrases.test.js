import assert from "node:assert/strict";
import test from "node:test";
import { fillPhrase } from "../../static/js/shared/phrases.js";

test("a fact goes into a phrase as it is", () => {
  for (const fact of ["Ana", "$&", "$$", "$`", "$'", "%s", "<b>"]) {
    assert.equal(fillPhrase("New: %s", fact), `New: ${fact}`);
  }
  assert.equal(fillPhrase("%s new", 3), "3 new");
});
