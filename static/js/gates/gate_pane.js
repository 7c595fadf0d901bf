// One open gate: its transcript, the card on which it is decided, the heading and the context.
import { selectAction, selectedAction } from "../console/actions.js";
import { areLettersOn } from "../console/keyboard.js";
import { address } from "../shared/addresses.js";
import { draftKeeper } from "../shared/draft_keeper.js";
import { makeElement } from "../shared/elements.js";
import { LiveConnection } from "../shared/live.js";
import { TranscriptView } from "../shared/transcript.js";
import { AnswerPreview } from "./answer_preview.js";
import { markChange, undoChange } from "./proposed_values.js";
import { fillTyped, typedFields } from "./typed_fields.js";

const MAX_SUBMIT_TRIES = 12;
const SUBMIT_RETRY_MS = 1_500; // times the number of tries so far
const NARROW_SCREEN = "(width < 760px)";
const ALL_PARTS = ["card", "holding", "context"];
// Events after which the gate cannot be decided.
const FINAL_EVENTS = new Set(["session.submitted", "session.expired", "session.cancelled"]);
// Events by which a colleague takes, leaves or edits the gate. They do not outdate what is typed on the card.
const HARMLESS_EVENTS = new Set(["session.claimed", "session.released", "session.changed"]);

/** A card that is being edited is never replaced, and what was typed on it is never lost. */
export class GatePane {
  #pane;
  #isDirty = false; // the card has input that its replacement would lose
  #isSending = false; // a decision is on its way
  #swapCount = 0; // how many answers to a decision have replaced the card
  #lateInput = []; // [name, value] of all fields when one of them changed after the decision was sent
  #requestedAt;
  #drafts = null; // the keeper of what is typed on the card
  #connection = null;
  #preview = null; // of an agent's gate: what an answer sends back
  #disposal = new AbortController(); // ends the listeners outside the pane

  /** The pane was requested from the server at `requestedAt` (performance.now()). */
  constructor(pane, requestedAt) {
    this.#pane = pane;
    this.#requestedAt = requestedAt;
  }

  start() {
    this.#followConversation();
    this.#watchCard();
    this.#listen("soni:session", ({ detail }) => this.#sessionChanged(detail));
    this.#listen("htmx:afterSwap", ({ detail }) => {
      if (detail.target.id === "holding") keepFocusOnRow();
      else this.#swapped(detail.target);
    });
    this.#listen("htmx:beforeRequest", ({ detail }) => {
      if (detail.elt === this.#card) this.#decisionSent(detail.requestConfig?.triggeringEvent?.submitter);
      // On the target itself, because it may have left the page when its answer comes.
      detail.target.addEventListener("htmx:beforeSwap", this.#dropOutdatedAnswer);
    });
    this.#listen("htmx:sendError", event => this.#retryDecision(event.detail));
    this.#listen("htmx:responseError", event => this.#retryDecision(event.detail));
    this.#listen("soni:changed", () => this.#refreshUnlessDirty());
    this.#cardShown();
    this.#fillUnsaved(this.#requestedAt);
    this.#scrollToQuestion();
    this.#focusStart();
  }

  /** Leave the gate: what was typed last is saved as a draft, and nothing of the pane acts any more. */
  dispose() {
    if (this.#drafts) this.#drafts.onAnswer = () => {};
    this.#drafts?.save();
    this.#disposal.abort();
    this.#connection.stop();
  }

  get #isDisposed() { return this.#disposal.signal.aborted; }

  #listen(type, listener) {
    document.addEventListener(type, listener, { signal: this.#disposal.signal });
  }

  // The card is replaced as a whole, so it is looked up each time.
  get #card() { return this.#pane.querySelector("#card"); }

  get #status() { return this.#card.querySelector(".status"); }

  #scrollToQuestion() {
    const asked = document.getElementById("asked");
    const scroller = document.querySelector(".gate-work");
    const cardInMiddle = this.#card.offsetTop - scroller.clientHeight / 2;
    const cardOnTop = this.#card.offsetTop - 12; // of a card that is higher than the pane, its head is seen first
    if (!matchMedia(NARROW_SCREEN).matches) scroller.scrollTop = Math.min(scroller.scrollHeight, cardOnTop);
    else scroller.scrollTop = Math.max((asked?.offsetTop ?? 0) - 12, cardInMiddle);
  }

  // The first wrong field; else the first empty one where an answer needs it, with the way to the keys beside it; else
  // the title, where single keys select an action and Tab leads to the fields. Never a button that decides. On a phone
  // only a wrong field, because the focus would open the keyboard over the page.
  #focusStart() {
    const wrongField = this.#card.querySelector("[data-first]");
    if (wrongField) return wrongField.focus();
    const title = this.#card.querySelector("#card-title");
    if (matchMedia(NARROW_SCREEN).matches) return title.focus({ preventScroll: true });
    const field = this.#firstEmptyField();
    if (!field?.closest("[aria-required=true]")) return title.focus({ preventScroll: true });
    this.#showKeysHint(field);
    field.focus({ preventScroll: true });
  }

  #firstEmptyField() {
    const fields = [...this.#card.querySelectorAll("input:not([type=hidden]), textarea, select")];
    const isChosen = name => fields.some(field => field.name === name && field.checked);
    return fields.find(field => field.type === "radio" ? !isChosen(field.name) : !field.value);
  }

  // The letters of the keys would be typed into the field that has the focus.
  #showKeysHint(field) {
    const hint = this.#card.querySelector("#keys-hint");
    if (!hint || field.type === "radio" || !areLettersOn()) return;
    field.closest(".form-fields > div")?.append(hint);
    hint.hidden = false;
    field.setAttribute("aria-describedby", hint.id);
  }

  #followConversation() {
    const { conversation, after, bot, gate } = this.#pane.dataset;
    const transcript = new TranscriptView(document.querySelector("[data-log]"), {
      ownRole: "operator",
      nameOf: frame => frame.role === "assistant" ? bot : frame.author,
      followsEnd: false, // the card stands below the lines and must not move away
    });
    const url = address(`ws/conversations/${conversation}/?gate=${gate}`);
    const connection = this.#connection = new LiveConnection(url, { after: Number(after), number: "seq" });
    connection.addEventListener("message", ({ detail: frame }) => {
      if (!transcript.hasLine(frame.seq)) transcript.keepPosition(() => transcript.addLine(frame));
    });
    connection.addEventListener("turn.finished", () => {
      const canDecide = this.#card.matches("form");
      this.#refresh(canDecide ? ["context"] : ALL_PARTS);
    });
  }

  // ---- typing on the card -----------------------------------------------------------------------------------------

  #watchCard() {
    this.#pane.addEventListener("input", event => {
      if (!event.target.closest("#card")) return;
      markChange(event.target);
      this.#preview?.update();
      this.#isDirty = true;
      this.#keepDraft();
      if (!this.#isSending) this.#drafts?.saveSoon();
    });
    this.#pane.addEventListener("change", event => {
      if (!event.target.closest("#card")) return;
      this.#keepDraft();
      if (!this.#isSending) this.#drafts?.save(); // else the decision on its way carries all of it
    });
    this.#pane.addEventListener("soni:selected", event => {
      this.#isDirty = true;
      this.#lightPath(event);
    });
    this.#pane.addEventListener("focusin", event => this.#lightPath(event));
    this.#pane.addEventListener("pointerover", event => this.#lightPath(event));
    this.#pane.addEventListener("click", event => {
      const copyButton = event.target.closest("[data-copy-button]");
      if (copyButton) this.#copyValues(copyButton);
      const undoButton = event.target.closest("[data-undo-change]");
      if (undoButton) undoChange(undoButton.closest("[data-proposed]"));
      if (this.#preview) this.#selectWay(event.target.closest("[data-way]"));
    });
    this.#pane.addEventListener("submit", () => this.#drafts?.postpone());
  }

  #keepDraft() {
    const form = this.#card;
    if (!form.dataset.draft) return;
    const fields = new FormData(form);
    for (const field of form.querySelectorAll("input[type=file]")) fields.delete(field.name); // sent with the decision
    this.#drafts.keep(fields);
  }

  // A card that was requested before the newest input was saved came with an older draft.
  #fillUnsaved(requestedAt) {
    const typed = this.#drafts?.newerThan(requestedAt);
    if (typed && this.#card.matches("form")) fillTyped(this.#card, typedFields(typed));
  }

  #draftAnswered({ status, body: { saved: savedAt, detail } }) {
    const words = this.#status?.dataset ?? {};
    if (status === 401) this.#showStatus(words.out, true);
    else if (savedAt) this.#showStatus(`${words.saved} ${savedAt}`);
    else if (this.#card.querySelector(".over-note")) this.#showStatus(""); // it says so, and the draft is stored
    else this.#showStatus(detail ?? words.away, true);
  }

  #showStatus(text, isBad = false) {
    const status = this.#status;
    if (!status) return;
    status.textContent = text;
    status.dataset.kind = isBad ? "bad" : "";
  }

  // The path in the context lights the branch of the action under the pointer or the focus, else of the selected one.
  #lightPath(event) {
    this.#preview?.point(event);
    const pointedAction = event.target.closest?.("#card button[name=action]");
    const action = (pointedAction ?? selectedAction(this.#card))?.value ?? "";
    const branches = [...this.#card.querySelectorAll("[data-way]")];
    const nextStep = branches.find(branch => branch.dataset.way === action)?.dataset.step;
    for (const branch of branches) branch.classList.toggle("selected", action !== "" && branch.dataset.way === action);
    for (const step of document.querySelectorAll(".path .next")) {
      step.classList.toggle("selected", nextStep !== undefined && step.dataset.step === nextStep);
    }
  }

  async #copyValues(button) {
    const values = [...this.#card.querySelectorAll("[data-copy] dd")];
    const lines = values.map(value => `${value.previousElementSibling.textContent}: ${value.textContent}`);
    await navigator.clipboard.writeText(lines.join("\n"));
    button.querySelector("[data-words]").textContent = button.dataset.done;
  }

  // ---- deciding ---------------------------------------------------------------------------------------------------

  // What is typed while the decision is on its way was not sent with it: it moves into the form that comes back.
  #decisionSent(button) {
    this.#isSending = true;
    const form = this.#card, sentFields = typedFields(new FormData(form));
    this.#showSending(button);
    form.addEventListener("htmx:beforeSwap", () => {
      const fields = typedFields(new FormData(form));
      this.#lateInput = JSON.stringify(fields) === JSON.stringify(sentFields) ? [] : fields;
    });
  }

  // The pressed button says at once that it was pressed; no other can be pressed meanwhile.
  #showSending(button) {
    if (!button) return;
    button.dataset.label ??= button.textContent.trim();
    button.textContent = this.#pane.dataset.sending;
    button.setAttribute("aria-busy", "true");
    button.closest(".acts")?.classList.add("sending");
  }

  #showSendable(button) {
    if (!button?.dataset.label) return;
    button.textContent = button.dataset.label;
    button.removeAttribute("aria-busy");
    button.closest(".acts")?.classList.remove("sending");
  }

  // The server failed or the connection did: the form stays as it is and is sent again under the same key.
  #retryDecision({ elt: form, requestConfig, xhr }) {
    if (form !== this.#card) return;
    this.#isSending = false;
    this.#showSendable(requestConfig?.triggeringEvent?.submitter);
    this.#drafts?.saveSoon();
    if (xhr?.status === 401) return this.#showStatus(this.#status.dataset.out, true);
    const tries = Number(form.dataset.tries ?? 0) + 1;
    form.dataset.tries = tries;
    this.#showStatus(this.#status.dataset.away, true);
    const button = requestConfig?.triggeringEvent?.submitter;
    if (tries >= MAX_SUBMIT_TRIES) return;
    setTimeout(() => this.#card === form && form.requestSubmit(button ?? undefined), SUBMIT_RETRY_MS * tries);
  }

  // An answer that the server gave before the decision but that arrives after it would show the gate as undecided
  // again. An answer for a heading that was replaced meanwhile has no element any more, so the parts are fetched once
  // more. One function for all targets: adding it to a target again has no effect.
  #dropOutdatedAnswer = ({ detail }) => {
    if (!detail.target.isConnected) {
      detail.shouldSwap = false;
      if (detail.target.id !== "card" && !this.#isDisposed) this.#refreshUnlessDirty();
      return;
    }
    const isUndecided = detail.serverResponse.includes('id="card-version"');
    const isDecidedHere = !document.getElementById("card-version");
    if (detail.target.id !== "card" && isUndecided && isDecidedHere) detail.shouldSwap = false;
  };

  #swapped(target) {
    if (target.id !== "card" || !this.#pane.isConnected) return;
    this.#swapCount += 1;
    if (this.#isSending) this.#drafts?.clear(); // the decision carried it, and a refused one was stored as the draft
    this.#cardReplaced();
    const card = this.#card, lateInput = this.#lateInput.splice(0);
    if (lateInput.length && card.matches("form")) fillTyped(card, lateInput);
    this.#replaceLateDraft();
    this.#focusStart();
    card.scrollIntoView({ block: "nearest" });
  }

  // A draft that is still on its way is older than the refused decision, and would replace what was sent with it.
  #replaceLateDraft() {
    if (!this.#drafts?.isOnItsWay) return;
    this.#keepDraft();
    this.#drafts.save();
  }

  #cardReplaced() {
    this.#isDirty = this.#isSending = false;
    this.#cardShown();
    this.#pane.querySelector(".changed-note")?.remove();
    if (this.#card.matches("form")) return;
    this.#maskLines();
    document.dispatchEvent(new CustomEvent("soni:decided", { detail: `g${this.#pane.dataset.gate}` }));
  }

  #cardShown() {
    const { draft } = this.#card.dataset;
    if (draft) this.#drafts = draftKeeper(draft);
    if (draft) this.#drafts.onAnswer = answer => this.#draftAnswered(answer);
    this.#preview = this.#card.querySelector("[data-answers]") ? new AnswerPreview(this.#card) : null;
    this.#preview?.load();
    this.#showExample();
  }

  // A press on the sentence about an answer selects it, so that a touch screen shows what it sends before it is sent.
  #selectWay(way) {
    const button = way && this.#card.querySelector(`button[name=action][value="${CSS.escape(way.dataset.way)}"]`);
    if (button) selectAction(button);
  }

  #showExample() {
    const commandLine = document.getElementById("cmd");
    if (commandLine) commandLine.placeholder = this.#card.dataset.example;
  }

  // ---- when the gate changes elsewhere ----------------------------------------------------------------------------

  // A card that is being edited stays and says that the gate has changed; any other shows the new facts at once.
  #sessionChanged({ type, number, version }) {
    const knownVersion = Number(document.getElementById("card-version")?.value ?? 0);
    if (this.#isSending || String(number) !== this.#pane.dataset.gate || version <= knownVersion) return;
    const { activeElement } = document;
    // The title has the focus where no field has: nothing under the hand would be replaced.
    const isEdited = this.#card.contains(activeElement) && activeElement.id !== "card-title";
    const hasFocus = isEdited && this.#card.matches("form");
    if (!this.#isDirty && !hasFocus) return this.#refresh();
    if (!HARMLESS_EVENTS.has(type)) {
      this.#announceChange();
      if (FINAL_EVENTS.has(type)) this.#disarm();
      this.#refresh(["holding"]); // who has the gate stands outside the card
    } else this.#refresh(["holding", "acts", "card-version"]); // a gate that a colleague has claimed is not answered
  }

  #announceChange() {
    if (this.#pane.querySelector(".changed-note")) return;
    const box = makeElement("p", "box warm changed-note");
    const button = makeElement("button", "btn tiny", this.#pane.dataset.look);
    const { changed, changedPlain } = this.#pane.dataset;
    box.setAttribute("role", "status");
    box.append(makeElement("span", "", this.#isDirty ? changed : changedPlain), button);
    button.type = "button";
    button.addEventListener("click", async () => {
      await this.#drafts?.save();
      await this.#refresh();
      box.remove();
    });
    this.#card.before(box);
  }

  // Nothing can be decided any more: the buttons go at once, and what was typed stays.
  #disarm() {
    const acts = this.#card.querySelector(".acts");
    const hadFocus = acts.contains(document.activeElement);
    for (const part of acts.querySelectorAll("button[name=action], [data-selection]")) part.remove();
    acts.prepend(makeElement("p", "over-note", this.#isDirty ? this.#pane.dataset.decided : ""));
    if (!hadFocus) return;
    acts.tabIndex = -1;
    acts.focus({ preventScroll: true });
  }

  // Who decided and what, above the form that is being edited and in the place of its buttons.
  #nameChange(page) {
    const heading = page.querySelector(".decision h3")?.textContent.trim();
    if (!heading) return;
    for (const words of this.#pane.querySelectorAll(".changed-note span, .over-note")) {
      if (!words.querySelector("b")) words.prepend(makeElement("b", "", `${heading}. `));
    }
  }

  // The card of a decided gate masks sensitive values, and so do the lines above it from then on.
  async #maskLines() {
    let url = this.#pane.dataset.lines;
    while (url) {
      const response = await fetch(url, { headers: { "hx-request": "true" } });
      if (!response.ok || this.#isDisposed) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      for (const line of page.querySelectorAll("[data-seq]")) replaceLine(line);
      url = document.querySelector(`[data-log] [data-seq="${firstNumber(page) - 1}"]`)
        ? page.querySelector("[data-older]")?.dataset.older : null;
    }
  }

  #refreshUnlessDirty() {
    this.#refresh(this.#isDirty ? ["holding"] : ALL_PARTS);
  }

  // Fetch the gate's parts as they are now. The operator may have acted while they were fetched: a card whose
  // decision is on its way, that an answer has replaced, or in which typing has begun is not replaced.
  async #refresh(parts = ALL_PARTS) {
    const swapCount = this.#swapCount, wasDirty = this.#isDirty;
    const requestedAt = performance.now();
    const response = await fetch(this.#pane.dataset.card, { headers: { "hx-request": "true" } });
    if (!response.ok || this.#isDisposed) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (this.#isSending) parts = parts.filter(part => part !== "acts" && part !== "card-version");
    if (parts.includes("card")) {
      if (this.#isSending || this.#swapCount !== swapCount) return;
      if (this.#isDirty && !wasDirty) return this.#announceChange();
    }
    this.#nameChange(page);
    const hadFocus = this.#card.contains(document.activeElement);
    for (const id of parts) this.#replacePart(id, page.getElementById(id));
    if (!parts.includes("card")) return;
    this.#cardReplaced();
    this.#fillUnsaved(requestedAt);
    if (hadFocus) this.#focusStart();
  }

  #replacePart(id, newPart) {
    const oldPart = document.getElementById(id);
    if (!oldPart || !newPart) return;
    if (id === "acts") return this.#replaceActs(oldPart, newPart);
    if (id !== "card" && isInUse(oldPart)) {
      const refreshIfFree = () => isInUse(oldPart) || this.#refresh([id]);
      // After the event, when the next element has the focus.
      oldPart.addEventListener("focusout", () => setTimeout(refreshIfFree), { once: true });
      return;
    }
    newPart.removeAttribute("hx-swap-oob");
    // The context keeps its element: on a phone it is visible because the address points to it.
    if (id === "context") oldPart.replaceChildren(...newPart.childNodes);
    else oldPart.replaceWith(newPart);
    htmx.process(id === "context" ? oldPart : newPart);
  }

  // The buttons are replaced also under the focus, because they may not decide any more. A choice that is still
  // offered stays chosen, and the focus stays where it was, or on the words that took the buttons' place.
  #replaceActs(oldActs, newActs) {
    const selected = selectedAction(this.#card)?.value, focused = document.activeElement;
    const status = this.#status?.textContent ?? "", kind = this.#status?.dataset.kind;
    oldActs.replaceWith(newActs);
    const buttonOf = value => newActs.querySelector(`button[name=action][value="${CSS.escape(value ?? "")}"]`);
    if (selected) buttonOf(selected)?.setAttribute("aria-pressed", "true");
    this.#showStatus(status, kind === "bad");
    if (!oldActs.contains(focused)) return;
    const target = buttonOf(focused.value) ?? newActs;
    if (target === newActs) newActs.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
}

// A line that is the same stays, so that it is not read out again.
function replaceLine(newLine) {
  const line = document.querySelector(`[data-log] [data-seq="${newLine.dataset.seq}"]`);
  if (line && saidIn(line) !== saidIn(newLine)) line.replaceWith(newLine);
}

// What a line says, without its caption.
function saidIn(line) {
  const parts = [...line.querySelectorAll(":scope > :not(small, .hidden), .chip.line")];
  return (parts.length ? parts : [line]).map(part => part.textContent).join(" ").replace(/\s+/g, "");
}

function firstNumber(page) {
  return Number(page.querySelector("[data-seq]")?.dataset.seq ?? 0);
}

// The operator types in the part or has opened its menu.
function isInUse(part) {
  const hasFocus = part.contains(document.activeElement) && document.activeElement !== part;
  const fields = [...part.querySelectorAll("input:not([type=hidden]), textarea")];
  const hasInput = fields.some(field => field.value !== field.defaultValue);
  return hasFocus || hasInput || part.querySelector("details[open]") !== null;
}

// The button that was pressed has been replaced: the keys go on from the gate's row, not from the top of the page.
// Not from the heading, which would not be refreshed as long as it has the focus.
function keepFocusOnRow() {
  if (document.activeElement === document.body) document.querySelector(".queue [data-row][aria-current]")?.focus();
}
