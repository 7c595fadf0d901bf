// One test conversation on a page: the test console's, or the one beside a flow's text. Whatever happens, the parts that a
// turn changes are fetched anew and put in their places; a form that is being filled in stays as it is.
import { freshId } from "../shared/ids.js";
import { Live, showState } from "../shared/live.js";
import { make, typingElement } from "../shared/transcript.js";
import { address } from "../shared/addresses.js";

export class Trial {
  #root; #told; #words; #form; #log; #scroller; #place = null; #live = null;
  #asked = 0; #timer = 0; #beginning = null; #dots = null; #dirty = null;

  /**
   * `root` holds the parts, the form, the tabs and the words. `told` are what the page does: `followed(way)` hears where
   * the test stands, `flow()` says whose way is wanted, `steps(old, fresh)` puts the list of steps in its place, `begin()`
   * opens a conversation for the first line and resolves to whether there is one, `gone()` hears that it was erased.
   */
  constructor(root, told) {
    this.#root = root;
    this.#told = told;
    this.#words = root.dataset;
    this.#form = root.querySelector("[data-compose]");
    this.#log = root.querySelector('[data-part="log"]');
    this.#scroller = this.#log.closest(".scroll");
    this.#form.addEventListener("submit", event => this.#written(event));
    this.#form.elements.text.addEventListener("keydown", event => this.#pressed(event));
    root.addEventListener("click", event => this.#chosen(event.target.closest("[data-choice]")));
    root.addEventListener("input", event => { this.#dirty = event.target.closest("[data-in-place]") ? event.target : this.#dirty; });
    root.addEventListener("submit", event => this.#sentInPlace(event));
    startTabs([...root.querySelectorAll("[role=tab]")]);
    this.#form.elements.text.disabled = false; // from now on Enter sends what is written
  }

  /** This conversation from now on: `{test, panel, say, after}`. */
  open(place) {
    this.close();
    this.#place = place;
    const live = this.#live = new Live(address(`ws/conversations/${place.test}/`), { after: Number(place.after), number: "seq" });
    showState(live, this.#root.querySelector("[data-connection]"));
    live.addEventListener("turn.started", () => live === this.#live && this.#typing());
    for (const kind of ["message", "turn.finished", "state"]) live.addEventListener(kind, () => live === this.#live && this.soon());
  }

  /** No conversation any more: the next line begins one. */
  close() {
    this.#live?.stop();
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#place = null;
  }

  soon(wait = 60) {
    clearTimeout(this.#timer);
    if (this.#place) this.#timer = setTimeout(() => this.#refresh(), wait);
  }

  end() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  focus() {
    this.#form.elements.text.focus({ preventScroll: true });
  }

  // ---- what the server says ----------------------------------------------------------------------------------------

  async #refresh() {
    const mine = ++this.#asked, flow = this.#told.flow();
    const page = flow ? `${this.#place.panel}?flow=${encodeURIComponent(flow)}` : this.#place.panel;
    try {
      const answer = await fetch(page);
      if (mine !== this.#asked) return;
      if (answer.ok) this.#show(await answer.text());
      else if (answer.status === 404) this.#told.gone?.();
    } catch {
      this.soon(3_000);
    }
  }

  // `sent` is the form that this answers; without one it is what a look at the server found.
  #show(html, sent = null) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const data = fresh.getElementById("graph-data");
    const way = data && JSON.parse(data.textContent);
    const place = this.#scroller.scrollTop, atEnd = this.#scroller.scrollHeight - place - this.#scroller.clientHeight < 120;
    for (const part of fresh.querySelectorAll("[data-part]")) this.#swap(this.#root.querySelector(`[data-part="${part.dataset.part}"]`), part, sent);
    if (way) this.#told.followed(way);
    this.#scroller.scrollTop = atEnd ? this.#scroller.scrollHeight : place;
  }

  #swap(old, part, sent) {
    if (!old || this.#keeps(old, part, sent)) return;
    if (normal(old) === normal(part)) return;
    const held = old.contains(document.activeElement);
    if (old.dataset.part === "steps") this.#told.steps(old, part);
    else old.replaceChildren(...part.childNodes);
    if (old === this.#log) this.#dots = null;
    if (held && !old.contains(document.activeElement) && !old.querySelector("[role=alert]")) this.#form.elements.text.focus();
  }

  // What is being filled in, or was refused, stays with its words as long as its gate waits; only the answer to it comes in its place.
  #keeps(old, part, sent) {
    const own = old.contains(this.#dirty) ? this.#dirty : old.querySelector("[data-in-place] [role=alert]");
    return own !== null && !(sent && old.contains(sent)) && stillThere(own, part);
  }

  // ---- what the tester says ----------------------------------------------------------------------------------------

  #written(event) {
    event.preventDefault();
    const text = this.#form.elements.text.value;
    if (!text.trim()) return;
    this.#form.elements.text.value = "";
    this.#send({ text }, text);
  }

  #pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #chosen(choice) {
    if (choice) this.#send({ choice: choice.dataset.choice, label: choice.textContent.trim() }, choice.textContent.trim());
  }

  async #send(fields, shown) {
    const element = this.#promise(shown);
    const body = this.body({ ...fields, id: freshId() });
    try {
      if (!this.#place && !(await this.#begun())) return this.#refused(element, fields, "");
      const answer = await fetch(this.#place.say, { method: "POST", body, headers: { accept: "application/json" } });
      if (!answer.ok) return this.#refused(element, fields, (await answer.json()).detail);
    } catch {
      return this.#refused(element, fields, this.#words.away);
    }
    this.soon();
  }

  // Lines that are written while a conversation begins all go to that one.
  #begun() {
    this.#beginning ??= this.#told.begin().finally(() => { this.#beginning = null; });
    return this.#beginning;
  }

  /** What a form of this page sends with these fields. */
  body(fields) {
    const body = new FormData(this.#form);
    body.delete("text");
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return body;
  }

  #promise(text) {
    const element = make("div", "turn out me waiting");
    element.append(make("p", "draft", text), make("small", "", this.#words.sending));
    if (this.#log.contains(document.activeElement)) this.#scroller.focus({ preventScroll: true });
    this.#log.querySelector(".empty")?.remove();
    this.#log.querySelector(".buttons")?.remove();
    this.#log.append(element);
    this.end();
    return element;
  }

  #refused(element, { text }, detail) {
    if (detail) element.querySelector("small").setAttribute("role", "alert");
    if (detail) element.querySelector("small").textContent = detail;
    else element.remove();
    if (text && !this.#form.elements.text.value) this.#form.elements.text.value = text;
  }

  #typing() {
    this.#dots?.remove();
    this.#dots = typingElement(this.#words.answering);
    this.#log.append(this.#dots);
    this.end();
  }

  // ---- forms in place: a gate, the clock, the stubs ----------------------------------------------------------------

  async #sentInPlace(event) {
    const own = event.target.closest("[data-in-place]");
    if (!own) return;
    event.preventDefault();
    const body = new FormData(own, event.submitter);
    try {
      const answer = await fetch(own.getAttribute("action"), { method: "POST", body });
      if (own.contains(this.#dirty)) this.#dirty = null;
      this.#show(await answer.text(), own);
    } catch {
      own.append(make("p", "error", this.#words.away));
    }
    this.soon();
  }
}

// A form that is written in is not taken away, as long as its gate still waits.
function stillThere(dirty, part) {
  const gate = dirty.closest("form")?.dataset.inPlace;
  return !gate || part.querySelector(`[data-in-place="${CSS.escape(gate)}"]`) !== null;
}

// What was opened, and what is fresh in every answer, is no difference.
function normal(part) {
  return part.innerHTML.replace(/name="(csrfmiddlewaretoken|key)" value="[^"]*"/g, "").replace(/<details([^>]*) open=""/g, "<details$1");
}

// ---- tabs ----------------------------------------------------------------------------------------------------------

function startTabs(tabs) {
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tabs, tab));
    tab.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(at + step + tabs.length) % tabs.length];
      choose(tabs, next);
      next.focus();
    });
  }
}

function choose(tabs, tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
}
