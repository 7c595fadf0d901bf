// Saved replies, picked by the keyboard: type to search, arrows to choose, Enter to take. Esc goes back and takes nothing.
import { make } from "../shared/transcript.js";

const dialog = document.getElementById("pick");
const PAUSE = 150;

export function watchReplies(button, take) {
  if (!dialog || !button) return () => {};
  const search = dialog.querySelector("#pick-search"), list = dialog.querySelector("#pick-list");
  let timer = 0, asked = 0;

  const show = async () => {
    const mine = ++asked;
    const url = `${button.dataset.replies}?q=${encodeURIComponent(search.value)}`;
    const found = await fetch(url, { headers: { accept: "application/json" } }).then(answer => answer.ok ? answer.json() : null).catch(() => null);
    if (mine !== asked) return;
    list.replaceChildren(...(found?.replies ?? []).map(option));
    choose(list.firstElementChild);
    dialog.querySelector("[role=status]").textContent = found ? (found.replies.length ? "" : dialog.dataset.none) : dialog.dataset.lost;
  };

  const option = ({ title, text, shared }, at) => {
    const item = make("li");
    item.id = `pick-${at}`;
    item.setAttribute("role", "option");
    item.append(make("b", "", title), make("p", "clip", text));
    if (shared) item.querySelector("b").append(" ", make("span", "chip", dialog.dataset.shared));
    item.addEventListener("click", () => finish(text));
    item.dataset.text = text;
    return item;
  };

  const chosen = () => list.querySelector("[aria-selected=true]");

  const choose = item => {
    for (const each of list.children) each.setAttribute("aria-selected", String(each === item));
    search.setAttribute("aria-activedescendant", item?.id ?? "");
    item?.scrollIntoView({ block: "nearest" });
  };

  const finish = text => {
    dialog.close();
    take(text);
  };

  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  });
  search.addEventListener("keydown", event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && chosen()) finish(chosen().dataset.text);
    else if (step) {
      const all = [...list.children];
      choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
    } else return;
    event.preventDefault();
  });
  dialog.addEventListener("close", () => take(""));

  const open = () => {
    search.value = "";
    list.replaceChildren();
    dialog.showModal();
    search.focus();
    show();
  };
  button.addEventListener("click", open);
  return open;
}
