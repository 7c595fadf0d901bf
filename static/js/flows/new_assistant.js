// The form of a new assistant: the name follows the title until the author types a name.
const { title, name } = document.querySelector("[data-new-assistant]").elements;
const MAX_NAME_LENGTH = 58;
let isFollowing = name.value === "" || name.value === nameFrom(title.value);

function nameFrom(text) {
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const joined = plain.replace(/[^a-z0-9]+/g, "_").replace(/^[0-9_]+/, "");
  return joined.slice(0, MAX_NAME_LENGTH).replace(/_+$/, "");
}

title.addEventListener("input", () => {
  if (isFollowing) name.value = nameFrom(title.value);
});
name.addEventListener("input", () => {
  isFollowing = name.value === "";
});
