// Older lines of a transcript, fetched when the reader asks for them. The lines that are being read stay where they
// are.
import { address } from "./addresses.js";

const MAX_MESSAGES_PER_REQUEST = 100;

/** On staff's pages the server renders the older lines; the address stands in the button's data-older. */
export function watchOlderLines() {
  document.addEventListener("click", event => {
    const button = event.target.closest("[data-older]");
    if (button) insertOlderLines(button);
  });
}

/** On the customer's page the lines come from the API as messages; `lineElement(message)` makes an element of each. */
export function watchOlderMessages(button, { conversation, token }, lineElement) {
  button?.addEventListener("click", async () => {
    button.disabled = true;
    const messages = await fetchMessagesBefore(Number(button.dataset.before), conversation, token).catch(() => null);
    button.disabled = false;
    if (messages === null) button.textContent = button.dataset.lost;
    else insertMessages(button, messages.map(lineElement), messages[0]?.seq ?? 1);
  });
}

async function insertOlderLines(button) {
  button.disabled = true;
  const html = await fetchText(button.dataset.older).catch(() => null);
  if (html === null) {
    button.disabled = false;
    button.textContent = button.dataset.lost;
    return;
  }
  const lines = new DOMParser().parseFromString(html, "text/html").body;
  const next = lines.querySelector("[data-older]") ?? lines.querySelector("[data-seq]");
  keepDistanceFromEnd(button.closest(".scroll"), () => button.replaceWith(...lines.childNodes));
  if (next?.matches("button")) next.focus({ preventScroll: true });
}

async function fetchText(url) {
  const response = await fetch(url, { headers: { "hx-request": "true" } });
  return response.ok ? response.text() : null;
}

async function fetchMessagesBefore(firstSeq, conversation, token) {
  const after = Math.max(0, firstSeq - 1 - MAX_MESSAGES_PER_REQUEST);
  const url = address(`api/v1/conversations/${conversation}/messages`);
  const query = `after=${after}&limit=${MAX_MESSAGES_PER_REQUEST}`;
  const headers = { accept: "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(`${url}?${query}`, { headers });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()).messages.filter(({ seq }) => seq < firstSeq);
}

// The button stays in front of the lines as long as there are more.
function insertMessages(button, lines, firstSeq) {
  keepDistanceFromEnd(button.closest(".scroll"), () => {
    button.after(...lines);
    button.dataset.before = firstSeq;
    if (firstSeq <= 1) button.remove();
  });
}

// New lines above the visible ones move these down; measured from the end their position is the same.
function keepDistanceFromEnd(scroller, change) {
  const fromEnd = scroller.scrollHeight - scroller.scrollTop;
  change();
  scroller.scrollTop = scroller.scrollHeight - fromEnd;
}
