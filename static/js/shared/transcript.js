// The transcript of a conversation on a page: its lines as elements, the typing indicator, and the scroll position.
import { timeElement } from "./clocks.js";
import { makeElement } from "./elements.js";
import { partsElement } from "./message_parts.js";

/**
 * A transcript that grows at its end and follows it: while the reader sees the end, each new line scrolls into sight,
 * and while the reader has scrolled up, nothing moves.
 */
export class TranscriptView {
  #log; #scroller; #options; #typing = null; #readUpTo = 0;

  /**
   * `log` holds the lines. Options: `ownRole`, the role of the reader ("user" or "operator"); `nameOf(frame)`, the
   * name beside a line's time; `readWord`, the word of the read receipt; `endMarginPixels`, how near the end counts
   * as the end; `followsEnd`, false for a page on which nothing ever scrolls by itself.
   */
  constructor(log, { ownRole, nameOf, readWord, endMarginPixels = 80, followsEnd = true } = {}) {
    this.#log = log;
    this.#scroller = log.closest(".scroll");
    this.#options = { ownRole, nameOf, readWord, endMarginPixels, followsEnd };
    if (followsEnd) this.#keepEndInSight();
  }

  /** Whether the message with this number is shown already: the page and the connection may both bring it. */
  hasLine(seq) {
    return this.#log.querySelector(`[data-seq="${seq}"]`) !== null;
  }

  /** A message frame as an element. */
  lineElement(frame) {
    if (frame.role === "system") return markElement(frame);
    const line = makeElement("div", `turn${sideClasses(frame.role, this.#options.ownRole)}`);
    if (frame.role === "operator") line.classList.add("person");
    line.dataset.seq = frame.seq;
    line.dataset.key = frame.key ?? "";
    const name = this.#options.nameOf(frame);
    if (name) line.append(makeElement("span", "hidden", `${name}:`)); // who speaks is read before what they say
    const body = frame.parts?.length ? partsElement(frame.parts) : makeElement("p", "", frame.text);
    line.append(body, captionElement(frame, name));
    return line;
  }

  /** Append a message frame. */
  addLine(frame) {
    const follow = this.#isAtEnd();
    this.#log.querySelector("[data-empty]")?.remove();
    this.append(this.lineElement(frame), follow);
  }

  /** Append an element; the typing indicator stays below it. */
  append(element, follow = this.#isAtEnd()) {
    if (this.#typing?.parentNode === this.#log) this.#log.insertBefore(element, this.#typing);
    else this.#log.append(element);
    if (follow) this.scrollToEnd();
  }

  /** Do `change()`; then the end is in sight if it was before, and otherwise the scroll position is the same. */
  keepPosition(change) {
    const top = this.#scroller.scrollTop, follow = this.#isAtEnd();
    change();
    this.#scroller.scrollTop = follow ? this.#scroller.scrollHeight : top;
  }

  scrollToEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  get isTyping() { return this.#typing !== null; }

  /** Show the typing indicator; `label` is what a screen reader says of it. */
  showTyping(label, { follow } = {}) {
    this.hideTyping();
    const typing = typingElement(label);
    this.append(typing, follow);
    this.#typing = typing;
  }

  hideTyping() {
    this.#typing?.remove();
    this.#typing = null;
  }

  /** Move the read receipt to the last own line with a number up to `seq`; it never moves back. */
  markRead(seq = 0) {
    this.#readUpTo = Math.max(this.#readUpTo, seq);
    for (const mark of this.#log.querySelectorAll("[data-read-mark]")) mark.remove();
    const ownLines = [...this.#log.querySelectorAll(".turn.by-reader[data-seq]")];
    const mark = makeElement("span", "", `· ${this.#options.readWord}`);
    mark.dataset.readMark = "";
    const lastRead = ownLines.filter(line => Number(line.dataset.seq) <= this.#readUpTo).at(-1);
    lastRead?.querySelector("small:last-of-type")?.append(mark);
  }

  // A note above the entry field or a keyboard on the screen takes room away, and would cover the last line.
  #keepEndInSight() {
    let wasAtEnd = this.#isAtEnd();
    this.#scroller.addEventListener("scroll", () => { wasAtEnd = this.#isAtEnd(); }, { passive: true });
    new ResizeObserver(() => { if (wasAtEnd) this.scrollToEnd(); }).observe(this.#scroller);
  }

  #isAtEnd() {
    if (!this.#options.followsEnd) return false;
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < this.#options.endMarginPixels;
  }
}

/** The line of a text that the server has not accepted yet. */
export function pendingLineElement(text, note) {
  const line = makeElement("div", "turn outgoing by-reader waiting");
  line.append(makeElement("p", "draft", text), makeElement("small", "", note));
  return line;
}

/** The buttons of a message; `press(value, label)` hears which was pressed. */
export function buttonsElement(buttons, press) {
  const row = makeElement("div", "buttons");
  for (const { value, label } of buttons) {
    const button = makeElement("button", "btn", label);
    button.type = "button";
    button.addEventListener("click", () => press(value, label));
    row.append(button);
  }
  return row;
}

// The reader's own lines stand on the right; for staff the assistant's too, since it speaks for them.
function sideClasses(role, ownRole) {
  if (role === ownRole) return " outgoing by-reader";
  return ownRole === "operator" && role === "assistant" ? " outgoing" : "";
}

function captionElement(frame, name = "") {
  const caption = makeElement("small");
  if (name) {
    const visibleName = makeElement("span", "", `${name} · `);
    visibleName.setAttribute("aria-hidden", "true");
    caption.append(visibleName);
  }
  caption.append(timeElement(frame.at));
  return caption;
}

// A note between the lines, such as why a file was not kept.
function markElement(frame) {
  const mark = makeElement("p", "mark", frame.text);
  mark.dataset.seq = frame.seq;
  return mark;
}

// Three moving dots, with a text for screen readers.
function typingElement(label) {
  const line = makeElement("div", "turn");
  const dots = makeElement("span", "typing");
  dots.setAttribute("role", "img");
  dots.setAttribute("aria-label", label);
  dots.append(makeElement("i"), makeElement("i"), makeElement("i"));
  line.append(dots);
  return line;
}
