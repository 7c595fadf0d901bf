// The dialogs of releases (publish, roll back): on a page of their own they are open when it loads; a link with
// data-dialog-page opens one over the page that it is on, which stays as it is. Esc and Cancel lead back.
import { momentText } from "../shared/moments.js";
import { fillPhrase } from "../shared/phrases.js";
import { pageZone } from "../shared/zone.js";

const OWN_PAGE = "dialog.release[open]";

class ReleaseDialog {
  #dialog; #opener;

  /** `opener` is the link that opened the dialog over another page; null on the dialog's own page. */
  constructor(dialog, opener = null) {
    this.#dialog = dialog;
    this.#opener = opener;
    dialog.close(); // the server rendered it open and not modal, for browsers without scripts
    dialog.showModal();
    // The browser scrolls to the field with the focus, the last one; what blocks the release comes before it.
    dialog.querySelector(".scroll")?.scrollTo({ top: 0, behavior: "instant" });
    (dialog.querySelector("[autofocus]") ?? dialog).focus({ preventScroll: true });
    dialog.addEventListener("cancel", event => this.#leave(event));
    dialog.addEventListener("click", event => event.target.closest("[data-close]") && this.#leave(event));
    dialog.addEventListener("keydown", event => this.#sendByKey(event));
    dialog.addEventListener("submit", event => this.#submit(event));
    dialog.addEventListener("htmx:afterSettle", () => this.#keepFocus());
  }

  #leave(event) {
    event.preventDefault();
    if (!this.#opener) return location.assign(this.#dialog.dataset.leave);
    this.#dialog.remove();
    this.#opener.focus();
  }

  #sendByKey(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#dialog.querySelector("[data-send]").click();
  }

  // The button that ran the scenarios is gone from their part; the focus stays with the link beside it.
  #keepFocus() {
    if (this.#dialog.contains(document.activeElement) && document.activeElement !== this.#dialog) return;
    this.#dialog.querySelector("#scenario-check :is(button, a)")?.focus({ preventScroll: true });
  }

  // Over another page the answer is either the page to return to, or the dialog again with what changed.
  async #submit(event) {
    const button = this.#dialog.querySelector("[data-send]");
    if (event.submitter !== button) return; // the button that runs the scenarios belongs to htmx
    const isSent = button.getAttribute("aria-disabled") === "true";
    button.setAttribute("aria-disabled", "true");
    if (isSent || this.#opener) event.preventDefault();
    if (isSent || !this.#opener) return;
    try {
      const form = event.target;
      const response = await fetch(form.action, { method: "POST", body: new FormData(form) });
      if (response.redirected) return this.#finish(response.url);
      this.#show(await dialogIn(response));
    } catch {
      button.removeAttribute("aria-disabled");
      const state = this.#dialog.querySelector("footer small");
      state.setAttribute("role", "alert");
      state.textContent = this.#opener.dataset.away;
    }
  }

  // What changed since the dialog was opened, or why it was refused.
  #show(newDialog) {
    this.#dialog.replaceChildren(...newDialog.childNodes);
    window.htmx?.process(this.#dialog);
    this.#dialog.querySelector("[autofocus]")?.focus({ preventScroll: true });
  }

  // The editor stays as it is and says what was published; other pages are loaded again.
  #finish(url) {
    const number = new URL(url).searchParams.get("published");
    const status = document.querySelector("[data-status]");
    if (!status || !number) return location.assign(url);
    status.textContent = fillPhrase(this.#opener.dataset.published, number);
    showNotice(status.textContent);
    document.querySelector("[data-unpublished]")?.setAttribute("hidden", "");
    this.#dialog.remove();
    this.#opener.focus();
  }
}

// What is live now, since when, and what can be done next. The status line says it to screen readers.
function showNotice(words) {
  const notice = document.querySelector("[data-published-notice]");
  if (!notice) return;
  const reader = { language: document.documentElement.lang || "en", zone: pageZone() };
  notice.querySelector("[data-words]").textContent = words;
  notice.querySelector("[data-moment]").textContent = momentText(Date.now(), Date.now(), reader);
  notice.hidden = false;
}

// It leaves when it is closed, or when the author goes on with something else.
document.addEventListener("click", ({ target }) => {
  const notice = document.querySelector("[data-published-notice]");
  if (notice && (!notice.contains(target) || target.closest("[data-close]"))) notice.hidden = true;
});

async function dialogIn(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const dialog = page.querySelector(OWN_PAGE);
  if (!dialog) throw new Error(`no dialog at ${response.url}`);
  return document.adoptNode(dialog);
}

// What is typed is saved first: a listener adds a promise of whether it could be saved to `detail.saved`.
async function openOver(link) {
  const saved = [];
  document.dispatchEvent(new CustomEvent("soni:before-publish", { detail: { saved } }));
  if ((await Promise.all(saved)).includes(false)) return;
  try {
    const dialog = await dialogIn(await fetch(link.href));
    document.body.append(dialog);
    window.htmx?.process(dialog);
    new ReleaseDialog(dialog, link);
  } catch {
    location.assign(link.href);
  }
}

document.addEventListener("click", event => {
  const link = event.target.closest("a[data-dialog-page]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (!document.querySelector("dialog[open]")) openOver(link);
});

const ownDialog = document.querySelector(OWN_PAGE);
if (ownDialog) new ReleaseDialog(ownDialog);
