// The dialog of saved replies: type to search, arrows to choose, Enter to insert. Esc closes it and inserts nothing.
import { makeElement } from "../shared/elements.js";

const SEARCH_DELAY_MS = 150;

/**
 * Open the dialog when `button` is pressed, and return the function that opens it. `insert(text)` hears the reply
 * that was chosen, and "" whenever the dialog has closed.
 */
export function watchSavedReplies(button, insert) {
  const dialog = document.getElementById("pick");
  if (!dialog || !button) return () => {};
  const search = dialog.querySelector("#pick-search"), list = dialog.querySelector("#pick-list");
  let timer = 0, lastRequest = 0;

  const showReplies = async () => {
    const request = ++lastRequest;
    const replies = await fetchReplies(`${button.dataset.replies}?q=${encodeURIComponent(search.value)}`);
    if (request !== lastRequest) return; // a newer search is on its way
    list.replaceChildren(...(replies ?? []).map(optionElement));
    select(list.firstElementChild);
    const status = dialog.querySelector("[role=status]");
    const none = search.value.trim() ? dialog.dataset.none : dialog.dataset.empty;
    if (replies) status.textContent = replies.length ? "" : none;
    else status.textContent = dialog.dataset.lost;
  };

  const optionElement = ({ title, text, shared }, index) => {
    const item = makeElement("li");
    item.id = `pick-${index}`;
    item.setAttribute("role", "option");
    item.append(makeElement("b", "", title), makeElement("p", "clip", text));
    if (shared) item.querySelector("b").append(" ", makeElement("span", "chip", dialog.dataset.shared));
    item.addEventListener("click", () => finish(text));
    item.dataset.text = text;
    return item;
  };

  const selectedOption = () => list.querySelector("[aria-selected=true]");

  // The focus stays in the search field; the option is active for screen readers only.
  const select = option => {
    for (const item of list.children) item.setAttribute("aria-selected", String(item === option));
    search.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  };

  const finish = text => {
    dialog.close();
    insert(text);
  };

  const open = () => {
    search.value = "";
    list.replaceChildren();
    dialog.showModal();
    search.focus();
    showReplies();
  };

  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(showReplies, SEARCH_DELAY_MS);
  });
  search.addEventListener("keydown", event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && selectedOption()) finish(selectedOption().dataset.text);
    else if (step) {
      const options = [...list.children];
      select(options[(options.indexOf(selectedOption()) + step + options.length) % options.length]);
    } else return;
    event.preventDefault();
  });
  dialog.addEventListener("close", () => insert(""));
  button.addEventListener("click", open);
  return open;
}

// null when the server could not be reached.
async function fetchReplies(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } }).catch(() => null);
  if (!response?.ok) return null;
  const answer = await response.json().catch(() => null);
  return answer?.replies ?? null;
}
