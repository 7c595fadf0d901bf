// The command palette: a search over pages, gates, customers, flows, steps, actions and help. Typing only searches;
// Enter or a press goes there, or sends the line that the row previews to the command bar's own address.
import { makeElement } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";

const SEARCH_DELAY_MS = 140;
const SVG = "http://www.w3.org/2000/svg";

class Palette {
  #dialog; #field; #results; #note; #count;
  #items = []; // of all groups in order, as the server describes them
  #options = [];
  #selected = 0;
  #request = 0;
  #timer = 0;
  #opener = null;
  #isRunning = false;

  constructor(dialog) {
    this.#dialog = dialog;
    this.#field = dialog.querySelector("input");
    this.#results = dialog.querySelector("[role=listbox]");
    this.#note = dialog.querySelector("[data-note]");
    this.#count = dialog.querySelector("[data-count]");
    this.#field.addEventListener("input", () => {
      this.#request += 1; // the rows on the way are those of other words, and Enter must not take one of them
      this.#show([]);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), SEARCH_DELAY_MS);
    });
    this.#field.addEventListener("keydown", event => this.#pressKey(event));
    this.#results.addEventListener("click", event => this.#choose(event.target.closest("[role=option]")));
    dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", event => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => this.#closed());
  }

  open(query = "") {
    this.#opener = document.activeElement;
    this.#field.value = query;
    this.#dialog.showModal();
    this.#field.focus();
    this.#search();
  }

  #closed() {
    clearTimeout(this.#timer);
    this.#request += 1;
    this.#show([]);
    if (this.#opener?.isConnected) this.#opener.focus();
  }

  async #search() {
    const request = ++this.#request, query = this.#field.value;
    const address = `${this.#dialog.dataset.search}?${new URLSearchParams({ q: query })}`;
    try {
      const response = await fetch(address, { headers: { accept: "application/json" } });
      if (!response.ok) throw new Error(String(response.status));
      const { groups, note } = await response.json();
      if (request === this.#request) this.#show(groups, note, query.replace(/^[>?]/, "").trim());
    } catch {
      if (request === this.#request) this.#show([], this.#dialog.dataset.failed);
    }
  }

  #show(groups, note = "", query = "") {
    this.#items = groups.flatMap(group => group.items);
    this.#results.replaceChildren(...groups.map((group, index) => this.#groupElement(group, index, query)));
    this.#options = [...this.#results.querySelectorAll("[role=option]")];
    this.#options.forEach((option, index) => { option.id = `palette-${index}`; });
    this.#field.setAttribute("aria-expanded", String(this.#options.length > 0));
    this.#select(0);
    const nothing = query && !this.#items.length ? fillPhrase(this.#dialog.dataset.none, query) : "";
    this.#say(note || nothing);
    const { one, many } = this.#dialog.dataset;
    this.#count.textContent = query && this.#items.length ? countText(this.#items.length, one, many) : "";
  }

  #say(text) {
    this.#note.hidden = !text;
    this.#note.textContent = text;
  }

  #groupElement({ title, items }, index, query) {
    const group = makeElement("div");
    const heading = makeElement("h3", "", title);
    heading.id = `palette-group-${index}`;
    heading.setAttribute("role", "presentation");
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", heading.id);
    group.append(heading, ...items.map(item => optionElement(item, query, this.#dialog.dataset.sprite)));
    return group;
  }

  #pressKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#select((this.#selected + step + this.#options.length) % (this.#options.length || 1));
    else if (event.key === "Tab" && !event.ctrlKey && this.#options.length) this.#selectGroup(event.shiftKey ? -1 : 1);
    else if (event.key === "Enter") this.#choose(this.#options[this.#selected]);
    else return;
    event.preventDefault();
  }

  // Tab goes through the groups and then leaves the field, as it leaves any field.
  #selectGroup(step) {
    const groups = [...this.#results.children];
    const current = groups.indexOf(this.#options[this.#selected].parentElement);
    const next = groups[(current + step + groups.length) % groups.length];
    this.#select(this.#options.indexOf(next.querySelector("[role=option]")));
  }

  #select(index) {
    this.#selected = index;
    for (const option of this.#options) {
      const isSelected = option === this.#options[index];
      option.setAttribute("aria-selected", String(isSelected));
      if (isSelected) option.scrollIntoView({ block: "nearest" });
    }
    if (this.#options.length) this.#field.setAttribute("aria-activedescendant", `palette-${index}`);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #choose(option) {
    const item = this.#items[this.#options.indexOf(option)];
    if (!item) return;
    if (item.href) location.assign(item.href);
    else if (item.line) this.#run(item.line);
    else if (item.text) this.#write(item.text);
    else if (item.dialog) this.#openDialog(item.dialog);
    else if (item.press) this.#pressInMenu(item.press);
  }

  #write(text) {
    this.#field.value = text;
    this.#field.focus();
    this.#search();
  }

  #openDialog(id) {
    this.#dialog.close();
    document.querySelector(`[data-opens="${id}"]`)?.click();
  }

  #pressInMenu(command) {
    this.#dialog.close();
    document.querySelector(`.rail [data-command="${command}"]`)?.click();
  }

  async #run(line) {
    const form = document.getElementById("command");
    if (!form || this.#isRunning) return;
    this.#isRunning = true; // a second Enter would send the line twice
    this.#count.textContent = this.#dialog.dataset.running;
    const body = new FormData(form);
    body.set("line", line);
    try {
      const request = { method: "POST", body, headers: { accept: "application/json" } };
      this.#done(await (await fetch(form.action, request)).json());
    } catch {
      this.#say(this.#dialog.dataset.failed);
    } finally {
      this.#isRunning = false;
    }
  }

  #done({ said, good, href, changed, undo }) {
    if (!good) return this.#say(said);
    this.#dialog.close();
    if (href) return location.assign(href);
    document.dispatchEvent(new CustomEvent("soni:done", { detail: { text: said, undo } }));
    if (changed) document.dispatchEvent(new CustomEvent("soni:changed"));
  }
}

function countText(count, one, many) {
  return count === 1 ? one : fillPhrase(many, count);
}

function optionElement({ title, detail, end, icon, tone }, query, sprite) {
  const option = makeElement("div", "palette-option");
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  const kind = makeElement("span", `kind ${tone || "closed"}`);
  kind.append(iconElement(icon, sprite));
  const words = makeElement("span", "palette-words");
  const name = makeElement("bdi", "clip palette-title");
  name.append(...markedParts(title, query));
  words.append(name);
  if (detail) words.append(makeElement("small", "clip", detail));
  option.append(kind, words);
  if (end) option.append(makeElement("small", "palette-end", end));
  return option;
}

function iconElement(name, sprite) {
  const icon = document.createElementNS(SVG, "svg"), use = document.createElementNS(SVG, "use");
  icon.setAttribute("class", "icon s");
  icon.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${sprite}#i-${name}`);
  icon.append(use);
  return icon;
}

// The query's words inside a title, as <mark>. Titles are text and stay text.
function markedParts(text, query) {
  const words = query.split(/\s+/).filter(Boolean).map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return [text];
  const parts = text.split(new RegExp(`(${words.join("|")})`, "iu"));
  return parts.map((part, index) => (index % 2 ? makeElement("mark", "", part) : part));
}

const dialog = document.getElementById("palette");
const palette = dialog ? new Palette(dialog) : null;

export function openPalette(query = "") {
  palette?.open(query);
}

document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-palette]")) openPalette();
});
