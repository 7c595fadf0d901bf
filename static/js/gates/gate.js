// One gate: the transcript grows, the card is never swapped under a hand that types, and what was typed is never lost.
import { selectedAction } from "../console/actions.js";
import { Live } from "../shared/live.js";
import { lineElement, make } from "../shared/transcript.js";
import { address } from "../shared/addresses.js";

const pane = document.querySelector("[data-gate]");
const DRAFT_AFTER = 1_200;
const TRIES = 12;

if (pane) {
  follow(pane);
  watchCard();
  document.addEventListener("soni:session", ({ detail }) => changed(detail));
  document.addEventListener("htmx:afterSwap", event => swapped(event.detail.target));
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt === card()) begun();
    detail.target.addEventListener("htmx:beforeSwap", dropOutdated);  // itself, as it may have left the page by then
  });
  document.addEventListener("htmx:sendError", event => retry(event.detail));
  document.addEventListener("htmx:responseError", event => retry(event.detail));
  document.addEventListener("soni:changed", () => freshCard(dirty ? ["holding"] : undefined));
  begin();
}

function card() { return document.getElementById("card"); }

function begin() {
  const asked = document.getElementById("asked");
  const scroller = document.querySelector(".work");
  const halfway = card().offsetTop - scroller.clientHeight / 2;
  if (matchMedia("(width < 760px)").matches) scroller.scrollTop = Math.max((asked?.offsetTop ?? 0) - 12, halfway);
  else scroller.scrollTop = scroller.scrollHeight;
  focusFirst();
}

// The first wrong field, else the first empty one; never a button that decides.
function focusFirst() {
  const wrong = card().querySelector("[data-first]");
  if (wrong) return wrong.focus();
  if (matchMedia("(width < 760px)").matches) return;
  const fields = [...card().querySelectorAll("input:not([type=hidden]), textarea, select")];
  const empty = fields.find(field => field.type === "radio" ? !fields.some(each => each.name === field.name && each.checked) : !field.value);
  empty?.focus({ preventScroll: true });
}

function follow({ dataset }) {
  const log = document.querySelector("[data-log]");
  const live = new Live(address(`ws/conversations/${dataset.conversation}/`), { after: Number(dataset.after), number: "seq" });
  live.addEventListener("message", ({ detail }) => {
    if (log.querySelector(`[data-seq="${detail.seq}"]`)) return;
    const scroller = log.closest(".scroll");
    const above = scroller.scrollTop;
    log.append(lineElement(detail, { mine: "operator", label: frame => frame.role === "assistant" ? dataset.bot : frame.author }));
    scroller.scrollTop = above;
  });
  live.addEventListener("turn.finished", () => freshCard(card().matches("form") ? ["context"] : undefined));
}

// ---- the card -----------------------------------------------------------------------------------------------------

let timer = 0, dirty = false, sending = false, swaps = 0, late = [];
let saved = Promise.resolve(), queued = null;

function watchCard() {
  pane.addEventListener("input", event => {
    if (!event.target.closest("#card")) return;
    dirty = true;
    clearTimeout(timer);
    timer = setTimeout(saveDraft, DRAFT_AFTER);
  });
  pane.addEventListener("change", event => event.target.closest("#card") && saveDraft());
  pane.addEventListener("soni:selected", event => { dirty = true; light(event); });
  pane.addEventListener("focusin", light);
  pane.addEventListener("pointerover", light);
  pane.addEventListener("click", event => event.target.closest("[data-copy-button]") && copy(event.target.closest("[data-copy-button]")));
  pane.addEventListener("submit", () => clearTimeout(timer));
}

// One at a time, and what is typed meanwhile goes with the next.
function saveDraft() {
  clearTimeout(timer);
  queued ??= saved.then(() => {
    queued = null;
    return saved = sendDraft();
  });
  return queued;
}

async function sendDraft() {
  const form = card();
  if (!form.dataset.draft || sending) return;  // the answer that is on its way has all of it
  try {
    const answer = await fetch(form.dataset.draft, { method: "POST", body: new FormData(form), headers: { accept: "application/json" } });
    if (answer.status === 401) return note(status().dataset.out, true);
    const { saved: at, detail } = await answer.json();
    note(at ? `${status().dataset.saved} ${at}` : detail, !at);
  } catch {
    note(status()?.dataset.away ?? "", true);
    timer = setTimeout(saveDraft, 5_000);
  }
}

function status() { return card().querySelector(".status"); }

function note(text, bad = false) {
  const place = status();
  if (!place) return;
  place.textContent = text;
  place.dataset.kind = bad ? "bad" : "";
}

// Our fault or the line's: the form stays as it is and is sent again under the same key.
function retry({ elt, requestConfig, xhr }) {
  if (elt !== card()) return;
  sending = false;
  if (xhr?.status === 401) return note(status().dataset.out, true);
  const tries = Number(elt.dataset.tries ?? 0) + 1;
  elt.dataset.tries = tries;
  note(status().dataset.away, true);
  const button = requestConfig?.triggeringEvent?.submitter;
  if (tries < TRIES) setTimeout(() => card() === elt && elt.requestSubmit(button ?? undefined), 1_500 * tries);
}

// What the server said before the decision, and what arrives after it, would show the gate as undecided again. And what
// was asked for by a heading that has been replaced meanwhile finds no place: the gate is looked at once more instead.
function dropOutdated({ detail }) {
  if (detail.target.id !== "card" && !detail.target.isConnected) {
    detail.shouldSwap = false;
    freshCard(dirty ? ["holding"] : undefined);
    return;
  }
  const isUndecided = detail.serverResponse.includes('id="card-version"');
  if (detail.target.id !== "card" && isUndecided && !document.getElementById("card-version")) detail.shouldSwap = false;
}

// What is typed while an answer is on its way was not sent: it goes over into the form that comes back.
function begun() {
  sending = true;
  const form = card(), sent = new FormData(form);
  form.addEventListener("htmx:beforeSwap", () => {
    late = [...new FormData(form)].filter(([name, value]) => name.startsWith("value.") && sent.get(name) !== value);
  });
}

function swapped(target) {
  if (target.id !== "card") return;
  swaps += 1;
  settled();
  const typed = late.splice(0).filter(([name]) => card().elements?.[name]);
  for (const [name, value] of typed) card().elements[name].value = value;
  if (typed.length) card().dispatchEvent(new Event("input", { bubbles: true }));
  focusFirst();
  card().scrollIntoView({ block: "nearest" });
}

// Somebody changed this gate. A form that is being edited stays, and says so; any other shows the new facts at once.
function changed({ type, number, version }) {
  if (sending || String(number) !== pane.dataset.gate || version <= Number(document.getElementById("card-version")?.value ?? 0)) return;
  const mine = type === "session.claimed" || type === "session.released" || type === "session.changed";
  if (dirty || card().contains(document.activeElement) && card().matches("form")) {
    if (!mine) announce();
    freshCard(["holding"]);  // who has it stands outside the form
  } else freshCard();
}

function announce() {
  if (pane.querySelector(".changed-note")) return;
  const box = make("p", "box warm changed-note");
  const look = make("button", "btn tiny", pane.dataset.look);
  box.setAttribute("role", "status");
  box.append(make("span", "", dirty ? pane.dataset.changed : pane.dataset.changedPlain), look);
  look.type = "button";
  look.addEventListener("click", async () => { await saveDraft(); await freshCard(); box.remove(); });
  card().before(box);
}

// The card, the heading and the context, as they are now. What the hand did while they were fetched goes first: a form
// that is on its way is not swapped from under its answer, nor an answer for what was true before it, nor typed text.
async function freshCard(parts = ["card", "holding", "context"]) {
  const before = { swaps, dirty };
  const answer = await fetch(pane.dataset.card, { headers: { "hx-request": "true" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (parts.includes("card")) {
    if (sending || swaps !== before.swaps) return;
    if (dirty && !before.dirty) return announce();
  }
  const had = card().contains(document.activeElement);
  for (const id of parts) replace(id, fresh.getElementById(id));
  if (!parts.includes("card")) return;
  settled();
  if (had) focusFirst();
}

// The context keeps its element: on a phone it is shown because the address points to it.
function replace(id, element) {
  const there = document.getElementById(id);
  if (id !== "card" && inHand(there)) {
    there.addEventListener("focusout", () => setTimeout(() => inHand(there) || freshCard([id])), { once: true });
    return;
  }
  element.removeAttribute("hx-swap-oob");
  if (id === "context") there.replaceChildren(...element.childNodes);
  else there.replaceWith(element);
  htmx.process(id === "context" ? there : element);
}

// Somebody writes there, or has opened its menu: what is new waits until they are done.
function inHand(part) {
  const fields = [...part.querySelectorAll("input:not([type=hidden]), textarea")];
  return part.contains(document.activeElement) && document.activeElement !== part || fields.some(field => field.value !== field.defaultValue) || part.querySelector("details[open]") !== null;
}

function settled() {
  dirty = sending = false;
  const line = document.getElementById("cmd");
  if (line) line.placeholder = card().dataset.example;
  pane.querySelector(".changed-note")?.remove();
}

// The path lights the branch of the action that the hand is on, else of the selected one.
function light(event) {
  const action = event.target.closest?.("#card button[name=action]")?.value ?? selectedAction(card())?.value ?? "";
  const ways = [...card().querySelectorAll("[data-way]")];
  const step = ways.find(way => way.dataset.way === action)?.dataset.step;
  for (const way of ways) way.classList.toggle("lit", action !== "" && way.dataset.way === action);
  for (const place of document.querySelectorAll(".path .next")) place.classList.toggle("lit", step !== undefined && place.dataset.step === step);
}

async function copy(button) {
  const facts = [...card().querySelectorAll("[data-copy] dd")].map(value => `${value.previousElementSibling.textContent}: ${value.textContent}`);
  await navigator.clipboard.writeText(facts.join("\n"));
  button.querySelector("[data-words]").textContent = button.dataset.done;
}
