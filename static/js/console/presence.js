// Colleagues who have a gate open just now, at its row and on its page. This page says once a connection what it shows.
import { filled } from "../shared/phrases.js";

let people = [];

export function watchPresence(live) {
  const page = document.querySelector("[data-looking-at]");
  const number = Number(page?.dataset.lookingAt ?? 0);
  live.addEventListener("state", ({ detail }) => {
    if (detail.state === "live" && number) live.send({ type: "looking", number });
  });
  live.addEventListener("presence", ({ detail }) => {
    people = detail.people;
    show();
  });
  document.addEventListener("soni:session", show);
  document.addEventListener("soni:rows", show);
}

function show() {
  for (const row of document.querySelectorAll("[id^=row-g]")) showAtRow(row, namesAt(Number(row.id.slice(5))));
  const note = document.querySelector("[data-eyes]");
  if (!note) return;
  const names = namesAt(Number(note.dataset.eyes));
  const words = names.length > 1 ? note.dataset.many : note.dataset.one;
  const text = names.length ? filled(words, names.join(", ")) : "";
  if (note.textContent !== text) note.textContent = text;
}

function namesAt(number) {
  return [...new Set(people.filter(each => each.number === number).map(each => each.name))];
}

function showAtRow(row, names) {
  row.querySelector(".eyes")?.remove();
  const meta = row.querySelector(".meta");
  if (!names.length || !meta) return;
  const eyes = document.createElement("span");
  const dot = document.createElement("span");
  eyes.className = "who eyes";
  dot.className = "dot";
  eyes.append(names.map(name => name.split(" ")[0]).join(", "), " ", dot);
  eyes.title = names.join(", ");
  meta.append(eyes);
}
