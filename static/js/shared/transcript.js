// Lines of a transcript as elements. Every text goes in as text: what somebody typed is never markup.

const clock = new Intl.DateTimeFormat(document.documentElement.lang || "en", { hour: "2-digit", minute: "2-digit", hour12: false, timeZone: document.documentElement.dataset.zone || undefined });

export function lineElement(frame, { mine, label }) {
  const turn = make("div", `turn${sideOf(frame.role, mine)}`);
  if (frame.role === "operator") turn.classList.add("person");
  turn.dataset.seq = frame.seq;
  turn.dataset.key = frame.key ?? "";
  turn.append(make("p", "", frame.text));
  turn.append(small(frame, label));
  return turn;
}

// The reader's own lines stand on the right; for staff, the assistant's too, since it speaks for them.
function sideOf(role, mine) {
  if (role === mine) return " out me";
  return mine === "operator" && role === "assistant" ? " out" : "";
}

export function buttonsElement(buttons, press) {
  const row = make("div", "buttons");
  for (const { value, label } of buttons) {
    const button = make("button", "btn", label);
    button.type = "button";
    button.addEventListener("click", () => press(value, label));
    row.append(button);
  }
  return row;
}

function small(frame, label) {
  const line = make("small");
  const name = label?.(frame) ?? "";
  const time = make("time", "", clock.format(Date.parse(frame.at)));
  time.dateTime = frame.at;
  if (name) line.append(name, " · ");
  line.append(time);
  return line;
}

// Three dots for somebody who is writing, with words for whoever does not see them.
export function typingElement(label) {
  const dots = make("div", "turn");
  const picture = make("span", "typing");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", label);
  picture.append(make("i"), make("i"), make("i"));
  dots.append(picture);
  return dots;
}

// The word stands under the last of the reader's own lines up to this number: the other side has read so far.
export function markRead(log, upTo, word) {
  for (const mark of log.querySelectorAll("[data-read-mark]")) mark.remove();
  const lines = [...log.querySelectorAll(".turn.me[data-seq]")].filter(line => Number(line.dataset.seq) <= upTo);
  const mark = make("span", "", `· ${word}`);
  mark.dataset.readMark = "";
  lines.at(-1)?.querySelector("small:last-of-type")?.append(mark);
}

export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
