// Colleagues who have a gate open at this moment, shown at its row and on its page. This page reports which gate it
// shows after every connect, because the server forgets it with the connection.
import { makeElement } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";

let people = []; // [{number, name}], where `number` is the gate's

export function watchPresence(connection) {
  let reportedNumber = 0;
  connection.addEventListener("state", ({ detail }) => {
    reportedNumber = openNumber();
    if (detail.state === "live" && reportedNumber) connection.send({ type: "looking", number: reportedNumber });
  });
  document.addEventListener("soni:opened", () => {
    const number = openNumber();
    if (number !== reportedNumber && connection.send({ type: "looking", number })) reportedNumber = number;
    showPresence();
  });
  connection.addEventListener("presence", ({ detail }) => {
    people = detail.people;
    showPresence();
  });
  document.addEventListener("soni:session", showPresence);
  document.addEventListener("soni:rows", showPresence);
}

// The number of the gate or chat that the page shows; 0 for none.
function openNumber() {
  return Number(document.querySelector("[data-looking-at]")?.dataset.lookingAt ?? 0);
}

function showPresence() {
  for (const row of document.querySelectorAll("[id^=row-g]")) {
    showInRow(row, namesAt(Number(row.id.slice("row-g".length))));
  }
  const note = document.querySelector("[data-eyes]");
  if (!note) return;
  const names = namesAt(Number(note.dataset.eyes));
  const words = names.length > 1 ? note.dataset.many : note.dataset.one;
  const text = names.length ? fillPhrase(words, names.join(", ")) : "";
  if (note.textContent !== text) note.textContent = text; // an equal text would be read out again
}

// A person may have the gate open in several tabs.
function namesAt(number) {
  return [...new Set(people.filter(person => person.number === number).map(person => person.name))];
}

function showInRow(row, names) {
  row.querySelector(".viewers")?.remove();
  const meta = row.querySelector(".row-facts");
  if (!names.length || !meta) return;
  const element = makeElement("span", "row-holder viewers");
  const firstNames = names.map(name => name.split(" ")[0]).join(", ");
  element.append(firstNames, " ", makeElement("span", "dot"));
  element.title = names.join(", ");
  meta.append(element);
}
