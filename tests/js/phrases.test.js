import assert from "node:assert/strict";
import test from "node:test";
import { filled } from "../../static/js/shared/phrases.js";

test("a fact goes into a phrase as it is", () => {
  for (const fact of ["Ana", "$&", "$$", "$`", "$'", "%s", "<b>"]) assert.equal(filled("New: %s", fact), `New: ${fact}`);
  assert.equal(filled("%s new", 3), "3 new");
});
