// The test console. Whatever happens, the parts of the page that a turn changes are fetched anew and put in their places;
// a form that is being filled in stays as it is.
import { Live, showState } from "./live.js";
import { make, typingElement } from "./transcript.js";
import { start } from "./graph/draw.js";

const page = document.getElementById("main");
const form = page.querySelector("[data-compose]");
const words = page.dataset;
const log = page.querySelector('[data-part="log"]');
const scroller = log.closest(".scroll");
const flow = page.querySelector("[data-flow]");
let asked = 0, timer = 0, dots = null, dirty = null;

// ---- what the server says ------------------------------------------------------------------------------------------

function soon(wait = 60) {
  clearTimeout(timer);
  timer = setTimeout(refresh, wait);
}

async function refresh() {
  const mine = ++asked;
  const address = flow.value ? `${words.panel}?flow=${encodeURIComponent(flow.value)}` : words.panel;
  try {
    const answer = await fetch(address);
    if (answer.ok && mine === asked) show(await answer.text());
  } catch {
    soon(3_000);
  }
}

function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const place = scroller.scrollTop, atEnd = scroller.scrollHeight - place - scroller.clientHeight < 120;
  for (const part of fresh.querySelectorAll("[data-part]")) swap(page.querySelector(`[data-part="${part.dataset.part}"]`), part);
  follow();
  scroller.scrollTop = atEnd ? scroller.scrollHeight : place;
}

function swap(old, part) {
  if (!old || old.contains(dirty) && stillThere(part)) return;
  const same = normal(old) === normal(part);
  if (same) return;
  if (old.dataset.part === "steps" && sameFlow(old, part)) return void old.querySelector("#graph-data").replaceWith(part.querySelector("#graph-data"));
  const held = old.contains(document.activeElement);
  old.replaceChildren(...part.childNodes);
  if (old.dataset.part === "log") dots = null;
  if (old.dataset.part === "steps" && old.querySelector("[data-graph]")) start(old.querySelector("[data-graph]"));
  if (held && !old.querySelector("[role=alert]")) form.elements.text.focus();
}

// A form that is written in is not taken away, as long as its gate still waits.
function stillThere(part) {
  const gate = dirty.closest("form")?.dataset.inPlace;
  return !gate || part.querySelector(`[data-in-place="${CSS.escape(gate)}"]`) !== null;
}

function normal(part) {
  return part.innerHTML.replace(/name="(csrfmiddlewaretoken|key)" value="[^"]*"/g, "");
}

function sameFlow(old, part) {
  return old.querySelector("[data-graph]")?.dataset.name === part.querySelector("[data-graph]")?.dataset.name;
}

// ---- the graph -----------------------------------------------------------------------------------------------------

function follow() {
  const data = document.getElementById("graph-data");
  if (!data) return;
  const { done, now, taken } = JSON.parse(data.textContent);
  const went = new Set(taken.map(([from, to]) => `${from} ${to}`));
  for (const node of page.querySelectorAll("[data-graph] [data-step]")) mark(node, done, now);
  for (const edge of page.querySelectorAll(".edges > path, .case-label")) edge.classList.toggle("on", went.has(`${edge.dataset.from} ${edge.dataset.to}`));
  page.querySelector("[data-graph] .node.now")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function mark(node, done, now) {
  node.classList.toggle("done", done.includes(node.dataset.step));
  node.classList.toggle("now", node.dataset.step === now);
  if (node.dataset.step === now) node.setAttribute("aria-current", "step");
  else node.removeAttribute("aria-current");
}

// ---- what the tester says ------------------------------------------------------------------------------------------

function promise(text) {
  const element = make("div", "turn out me waiting");
  element.append(make("p", "draft", text), make("small", "", words.sending));
  log.querySelector(".empty")?.remove();
  log.querySelector(".buttons")?.remove();
  log.append(element);
  scroller.scrollTop = scroller.scrollHeight;
  return element;
}

async function send(fields, shown) {
  const element = promise(shown);
  const body = new FormData(form);
  body.delete("text");
  body.set("id", crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  try {
    const answer = await fetch(words.say, { method: "POST", body, headers: { accept: "application/json" } });
    if (!answer.ok) return refused(element, fields, (await answer.json()).detail);
  } catch {
    return refused(element, fields, words.away);
  }
  soon();
}

function refused(element, { text }, detail) {
  element.querySelector("small").textContent = detail;
  element.querySelector("small").setAttribute("role", "alert");
  if (text && !form.elements.text.value) form.elements.text.value = text;
}

function typing() {
  dots?.remove();
  dots = typingElement(words.answering);
  log.append(dots);
  scroller.scrollTop = scroller.scrollHeight;
}

form.addEventListener("submit", event => {
  event.preventDefault();
  const text = form.elements.text.value;
  if (!text.trim()) return;
  form.elements.text.value = "";
  send({ text }, text);
});

form.elements.text.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

page.addEventListener("click", event => {
  const choice = event.target.closest("[data-choice]");
  if (choice) send({ choice: choice.dataset.choice, label: choice.textContent.trim() }, choice.textContent.trim());
});

// ---- forms in place: a gate, the clock, the stubs ------------------------------------------------------------------

page.addEventListener("input", event => { dirty = event.target.closest("[data-in-place]") ? event.target : dirty; });

page.addEventListener("submit", async event => {
  const own = event.target.closest("[data-in-place]");
  if (!own) return;
  event.preventDefault();
  const body = new FormData(own, event.submitter);
  try {
    const answer = await fetch(own.getAttribute("action"), { method: "POST", body });
    dirty = null;
    show(await answer.text());
  } catch {
    own.append(make("p", "error", words.away));
  }
  soon();
});

// ---- tabs ----------------------------------------------------------------------------------------------------------

const tabs = [...page.querySelectorAll("[role=tab]")];

function choose(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
}

for (const [at, tab] of tabs.entries()) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(at + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}

// ---- begin ---------------------------------------------------------------------------------------------------------

const live = new Live(`/ws/conversations/${words.test}/`, { after: Number(words.after), number: "seq" });
showState(live, document.getElementById("connection"));
live.addEventListener("turn.started", typing);
for (const kind of ["message", "turn.finished", "state"]) live.addEventListener(kind, () => soon());
flow.addEventListener("change", () => soon(0));
matchMedia("(width < 760px)").addEventListener("change", () => requestAnimationFrame(follow));
follow();
scroller.scrollTop = scroller.scrollHeight;
form.elements.text.focus({ preventScroll: true });
