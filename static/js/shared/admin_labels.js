// Names for fields of Django's admin that have none for screen readers: the date and the time of a moment, which stand
// beside plain words, and the signs before the search fields of its two-box choices.

function nameMomentFields() {
  for (const input of document.querySelectorAll("p.datetime input:not([aria-label])")) {
    const title = input.closest(".form-row")?.querySelector("label, legend")?.textContent ?? "";
    const part = input.previousSibling?.textContent ?? "";
    input.setAttribute("aria-label", `${title} ${part}`.replaceAll(":", "").replace(/\s+/g, " ").trim());
  }
}

// They have a name already, which only counts for an element with a role.
function nameSigns() {
  for (const sign of document.querySelectorAll(".search-label-icon[aria-label]:not([role])")) {
    sign.setAttribute("role", "img");
  }
}

nameMomentFields();
// Django builds the boxes when the page has loaded, in a listener that was there first.
window.addEventListener("load", nameSigns);
