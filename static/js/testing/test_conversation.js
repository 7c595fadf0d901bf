// One test conversation on a page: on the test console, or beside the text of a flow.
import { address } from "../shared/addresses.js";
import { makeElement } from "../shared/elements.js";
import { newId } from "../shared/ids.js";
import { LiveConnection, showConnectionState } from "../shared/live.js";
import { pendingLineElement, TranscriptView } from "../shared/transcript.js";

const REFRESH_DELAY_MS = 60;
const RETRY_DELAY_MS = 3_000;
const END_MARGIN_PIXELS = 120;

/**
 * After each turn the parts of the page that it changes are fetched again and replaced; a form that is being filled in
 * stays as it is.
 */
export class TestConversation {
  #root; #page; #words; #form; #log; #transcript;
  #conversation = null; // {test, panel, say, after}: its id, two addresses, and the number of its last message
  #connection = null;
  #lastRequest = 0;
  #timer = 0;
  #beginning = null; // the promise of a conversation that is being opened
  #editedField = null;

  /**
   * `root` holds the parts, the form, the tabs and the words. `page` is what the page does:
   * `progressChanged(progress)` hears where the test stands; `shownFlow()` names the flow whose graph is shown;
   * `replaceSteps(part, newPart)` puts a new list of steps in its place; `begin()` opens a conversation for the first
   * line and resolves to whether there is one; `erased()` hears that the conversation is gone.
   */
  constructor(root, page) {
    this.#root = root;
    this.#page = page;
    this.#words = root.dataset;
    this.#form = root.querySelector("[data-compose]");
    this.#log = root.querySelector('[data-part="log"]');
    this.#transcript = new TranscriptView(this.#log, { endMarginPixels: END_MARGIN_PIXELS });
    this.#form.addEventListener("submit", event => this.#submit(event));
    this.#form.querySelector("[data-files]").addEventListener("click", () => this.#form.elements.file.click());
    this.#form.elements.file.addEventListener("change", () => this.#sendFiles());
    this.#textField.addEventListener("keydown", event => this.#submitOnEnter(event));
    root.addEventListener("click", event => this.#choose(event.target.closest("[data-choice]")));
    root.addEventListener("click", event => this.#sayStarter(event.target.closest("[data-starter]")));
    root.addEventListener("input", event => {
      if (event.target.closest("[data-in-place]")) this.#editedField = event.target;
    });
    root.addEventListener("click", event => this.#addStub(event.target.closest("[data-stub-example]")));
    root.addEventListener("submit", event => this.#submitInPlace(event));
    watchTabs([...root.querySelectorAll("[role=tab]")]);
    this.#textField.disabled = false; // until here Enter would have sent nothing
  }

  /** Show this conversation from now on: `{test, panel, say, after}`. */
  open(conversation) {
    this.close();
    this.#conversation = conversation;
    const url = address(`ws/conversations/${conversation.test}/`);
    const connection = new LiveConnection(url, { after: Number(conversation.after), number: "seq" });
    this.#connection = connection;
    showConnectionState(connection, this.#root.querySelector("[data-connection]"));
    const isCurrent = () => connection === this.#connection;
    connection.addEventListener("turn.started", () => isCurrent() && this.#showTyping());
    for (const type of ["message", "turn.finished", "state"]) {
      connection.addEventListener(type, () => isCurrent() && this.refreshSoon());
    }
  }

  /** Show no conversation: the next line begins one. */
  close() {
    this.#connection?.stop();
    clearTimeout(this.#timer);
    this.#lastRequest += 1; // an answer that is on its way is no longer shown
    this.#conversation = null;
  }

  refreshSoon(delay = REFRESH_DELAY_MS) {
    clearTimeout(this.#timer);
    if (this.#conversation) this.#timer = setTimeout(() => this.#refresh(), delay);
  }

  scrollToEnd() { this.#transcript.scrollToEnd(); }

  focus() { this.#textField.focus({ preventScroll: true }); }

  /** The form data of this page with these fields. */
  formData(fields) {
    const body = new FormData(this.#form);
    body.delete("text");
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return body;
  }

  get #textField() { return this.#form.elements.text; }

  // ---- showing ----------------------------------------------------------------------------------------------------

  async #refresh() {
    const request = ++this.#lastRequest, flow = this.#page.shownFlow();
    const { panel } = this.#conversation;
    try {
      const response = await fetch(flow ? `${panel}?flow=${encodeURIComponent(flow)}` : panel);
      if (request !== this.#lastRequest) return;
      if (response.ok) this.#showParts(await response.text());
      else if (response.status === 404) this.#page.erased?.();
    } catch {
      this.refreshSoon(RETRY_DELAY_MS);
    }
  }

  // `sentForm` is the form that this is the answer to, if any.
  #showParts(html, sentForm = null) {
    const newPage = new DOMParser().parseFromString(html, "text/html");
    const data = newPage.getElementById("graph-data");
    const progress = data && JSON.parse(data.textContent);
    this.#transcript.keepPosition(() => {
      for (const newPart of newPage.querySelectorAll("[data-part]")) {
        this.#replacePart(this.#root.querySelector(`[data-part="${newPart.dataset.part}"]`), newPart, sentForm);
      }
      if (progress) this.#page.progressChanged(progress);
    });
  }

  #replacePart(part, newPart, sentForm) {
    if (!part || this.#isInUse(part, newPart, sentForm)) return;
    if (comparableHtml(part) === comparableHtml(newPart)) return;
    const hadFocus = part.contains(document.activeElement);
    if (part.dataset.part === "steps") this.#page.replaceSteps(part, newPart);
    else part.replaceChildren(...newPart.childNodes);
    if (part === this.#log) this.#transcript.hideTyping();
    const lostFocus = hadFocus && !part.contains(document.activeElement);
    if (lostFocus && !part.querySelector("[role=alert]")) this.#textField.focus();
  }

  // A form that is being filled in, or that was refused, keeps its words as long as its gate waits; only the answer
  // to the form itself replaces it.
  #isInUse(part, newPart, sentForm) {
    const refusal = part.querySelector("[data-in-place] [role=alert]");
    const field = part.contains(this.#editedField) ? this.#editedField : refusal;
    if (field === null || (sentForm && part.contains(sentForm))) return false;
    const gate = field.closest("form")?.dataset.inPlace;
    return !gate || newPart.querySelector(`[data-in-place="${CSS.escape(gate)}"]`) !== null;
  }

  #showTyping() {
    this.#transcript.showTyping(this.#words.answering, { follow: true });
  }

  // ---- what the tester sends --------------------------------------------------------------------------------------

  #submit(event) {
    event.preventDefault();
    const text = this.#textField.value;
    if (!text.trim()) return;
    this.#textField.value = "";
    this.#send({ text }, text);
  }

  // The form's data holds the chosen files; a message sent later must not hold them again.
  #sendFiles() {
    const names = [...this.#form.elements.file.files].map(file => file.name).join(", ");
    if (!names) return;
    this.#send({ text: "" }, names);
    this.#form.elements.file.value = "";
  }

  #submitOnEnter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #choose(button) {
    if (!button) return;
    const label = button.textContent.trim();
    this.#send({ choice: button.dataset.choice, label }, label);
  }

  // A sentence that the empty chat offers is sent as if it were typed.
  #sayStarter(button) {
    if (!button) return;
    const text = button.textContent.trim();
    this.#send({ text }, text);
  }

  async #send(fields, label) {
    const element = this.#showPendingLine(label);
    const body = this.formData({ ...fields, id: newId() });
    try {
      if (!this.#conversation && !(await this.#begin())) return this.#refused(element, fields, "");
      const request = { method: "POST", body, headers: { accept: "application/json" } };
      const response = await fetch(this.#conversation.say, request);
      if (!response.ok) return this.#refused(element, fields, (await response.json()).detail);
    } catch {
      return this.#refused(element, fields, this.#words.away);
    }
    this.refreshSoon();
  }

  // Lines that are written while a conversation is being opened all go to that one.
  #begin() {
    this.#beginning ??= this.#page.begin().finally(() => { this.#beginning = null; });
    return this.#beginning;
  }

  #showPendingLine(text) {
    const element = pendingLineElement(text, this.#words.sending);
    // A button in the transcript is about to go, and would take the focus with it.
    if (this.#log.contains(document.activeElement)) this.#log.closest(".scroll").focus({ preventScroll: true });
    this.#log.querySelector(".empty")?.remove();
    this.#log.querySelector(".buttons")?.remove();
    this.#log.append(element);
    this.scrollToEnd();
    return element;
  }

  // A text that was refused goes back into the field.
  #refused(element, { text }, detail) {
    const note = element.querySelector("small");
    if (detail) {
      note.setAttribute("role", "alert");
      note.textContent = detail;
    } else element.remove();
    if (text && !this.#textField.value) this.#textField.value = text;
  }

  // Write what an action returns into the field of the stubs, for the tester to change.
  #addStub(button) {
    if (!button) return;
    const field = button.form.elements.stubs, text = field.value.trimEnd();
    const start = text ? text.length + 1 : 0;
    field.value = `${text ? `${text}\n` : ""}${button.dataset.stubExample}`;
    this.#editedField = field;
    field.focus();
    field.setSelectionRange(start, field.value.length);
  }

  // The forms that change the test in place: a gate, the clock, the stubs.
  async #submitInPlace(event) {
    const form = event.target.closest("[data-in-place]");
    if (!form) return;
    event.preventDefault();
    const body = new FormData(form, event.submitter);
    try {
      const response = await fetch(form.getAttribute("action"), { method: "POST", body });
      if (form.contains(this.#editedField)) this.#editedField = null;
      this.#showParts(await response.text(), form);
    } catch {
      form.append(makeElement("p", "error", this.#words.away));
    }
    this.refreshSoon();
  }
}

// What differs in each response, and what the tester has unfolded, does not count as a change.
function comparableHtml(part) {
  const html = part.innerHTML.replace(/name="(csrfmiddlewaretoken|key)" value="[^"]*"/g, "");
  return html.replace(/<details([^>]*) open=""/g, "<details$1");
}

// ---- tabs ---------------------------------------------------------------------------------------------------------

function watchTabs(tabs) {
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => selectTab(tabs, tab));
    tab.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      selectTab(tabs, next);
      next.focus();
    });
  }
}

function selectTab(tabs, selected) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", String(tab === selected));
    tab.tabIndex = tab === selected ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== selected;
  }
}
