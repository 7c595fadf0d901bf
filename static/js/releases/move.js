// The page that moves conversations to another release: the same release cannot be chosen on both sides, a changed
// table needs a new dry run, and a move of many conversations goes on by itself until none is left.
const sides = [...document.querySelectorAll("[data-side]")];

function disableOther() {
  for (const [select, other] of [sides, sides.toReversed()]) {
    for (const option of select.options) option.disabled = option.value !== "" && option.value === other.value;
  }
}

function outdateDryRun() {
  const result = document.querySelector("[data-dry-run]");
  if (!result) return;
  result.querySelector("[data-outdated]")?.removeAttribute("hidden");
  result.querySelector("[data-move]")?.setAttribute("hidden", "");
}

// Another pair of releases has other steps, so that choices of before would not fit.
function sideChanged({ target }) {
  const form = target.form;
  for (const select of form.querySelectorAll("[data-mapping]")) select.disabled = true;
  if (sides.every(side => side.value)) form.requestSubmit();
}

if (sides.length === 2) {
  disableOther();
  for (const side of sides) side.addEventListener("change", sideChanged);
}
for (const select of document.querySelectorAll("[data-mapping]")) select.addEventListener("change", outdateDryRun);
document.querySelector("[data-cancel-move]")?.addEventListener("click", ({ target }) => {
  const question = target.closest("details");
  question.open = false;
  question.querySelector("summary").focus();
});
document.querySelector("[data-go-on]")?.requestSubmit();
