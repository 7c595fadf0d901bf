// The chat in a frame on another site. The token of its conversation is in this page's memory only, unless the site
// asks to keep it for the tab. Messages are taken from the site's own window and its exact origin.
import { CustomerChat, readCreated } from "../chat/chat.js";
import { address } from "../shared/addresses.js";

const page = document.getElementById("chat");
const root = document.documentElement;
const siteOrigin = page.dataset.origin;
const MAX_PROPERTY_CHARACTERS = 200;
const LIGHT_LUMINANCE = 0.179; // above it black has more contrast than white

let userToken = "";
let keptName = ""; // of the conversation in the tab's storage; empty where the site does not keep it
let chat = null;

/** A storage that lasts as long as this page, for browsers that keep nothing for a frame of another site. */
class MemoryStorage {
  #items = new Map();
  getItem(name) { return this.#items.get(name) ?? null; }
  setItem(name, text) { this.#items.set(name, text); }
  removeItem(name) { this.#items.delete(name); }
}

function tabStorage() {
  try {
    sessionStorage.getItem("");
    return sessionStorage;
  } catch {
    return new MemoryStorage();
  }
}

const memory = new MemoryStorage();
const tab = tabStorage();

const SITE = {
  storage: memory,

  async createConversation({ words }) {
    const body = {
      assistant: words.assistant, channel: "widget", language: root.lang, user_token: userToken,
      metadata: siteOrigin ? { site: siteOrigin } : {},
    };
    const response = await post("api/v1/conversations", body);
    if (response.status === 422) throw await refusal(response);
    const created = await readCreated(response);
    if (keptName) tab.setItem(keptName, JSON.stringify(created));
    return created;
  },

  leave({ words }) {
    return post(`api/v1/conversations/${words.conversation}/leave`, {}, words.token);
  },
};

function post(path, body, token = "") {
  const headers = { "content-type": "application/json", accept: "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  // A person of the console may look at their own site in the same browser: the chat is not theirs.
  return fetch(address(path), { method: "POST", headers, body: JSON.stringify(body), credentials: "omit" });
}

// The site learns of it, so that its server can sign another token.
async function refusal(response) {
  const { detail } = await response.json();
  tell({ type: "refused", detail });
  return Object.assign(new Error(detail), { detail, isFinal: true });
}

function tell(message) {
  if (siteOrigin && parent !== window) parent.postMessage({ soni: 1, ...message }, siteOrigin);
}

// ---- what the site says -------------------------------------------------------------------------------------------

const RECEIVERS = {
  begin({ userToken: token, theme, title, keep, privacy, isOpen }) {
    userToken = String(token ?? "");
    applyTheme(theme);
    if (title) page.querySelector("h1").textContent = String(title);
    showPrivacy(privacy);
    if (keep === "tab") restore();
    if (isOpen) start();
  },
  open() {
    delete root.dataset.closed;
    start();
    document.dispatchEvent(new Event("visibilitychange")); // what came meanwhile is read now
    document.getElementById("say").focus();
  },
  close() {
    root.dataset.closed = "";
  },
};

addEventListener("message", event => {
  if (event.origin !== siteOrigin || event.source !== parent) return;
  if (event.data?.soni === 1 && Object.hasOwn(RECEIVERS, event.data.type)) RECEIVERS[event.data.type](event.data);
});

function start() {
  if (chat) return;
  chat = new CustomerChat(page, SITE);
  chat.start();
}

// A conversation belongs to the customer of the token, or to no customer in particular.
function restore() {
  keptName = `soni-embed-${page.dataset.assistant}-${customerOf(userToken)}`;
  const kept = JSON.parse(tab.getItem(keptName) ?? "null");
  if (kept) Object.assign(page.dataset, { conversation: kept.id, token: kept.token });
}

// Only a name for the storage: the server alone says whether the token counts.
function customerOf(token) {
  try {
    return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).sub ?? "";
  } catch {
    return "";
  }
}

// ---- how it looks -------------------------------------------------------------------------------------------------

function applyTheme({ scheme = "", properties = [] } = {}) {
  if (scheme === "light" || scheme === "dark") root.dataset.theme = scheme;
  for (const [name, value] of properties) {
    if (typeof value === "string" && value.length <= MAX_PROPERTY_CHARACTERS) APPLIERS[name]?.(value);
  }
}

const APPLIERS = {
  brand(value) {
    if (!CSS.supports("color", value)) return;
    document.body.style.setProperty("--site-brand", value);
    document.body.style.setProperty("--site-brand-ink", inkOn(value));
  },
  "brand-ink"(value) {
    if (CSS.supports("color", value)) document.body.style.setProperty("--site-brand-ink", value);
  },
  font(value) {
    if (CSS.supports("font-family", value)) document.body.style.setProperty("--site-font", value);
  },
  radius(value) {
    if (CSS.supports("border-radius", value)) root.style.setProperty("--radius", value);
  },
};

// Black or white, whichever has more contrast on the colour (WCAG 2, relative luminance).
function inkOn(colour) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const channels = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => value / 255);
  const [red, green, blue] = channels.map(part => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > LIGHT_LUMINANCE ? "#000" : "#fff";
}

function showPrivacy(link) {
  const privacy = page.querySelector("[data-privacy]");
  if (!/^https?:\/\//.test(link ?? "")) return;
  privacy.href = link;
  privacy.hidden = false;
}

// ---- what the customer does ---------------------------------------------------------------------------------------

page.addEventListener("chat-line", ({ detail }) => detail.role !== "user" && tell({ type: "line" }));
page.querySelector("[data-close]").addEventListener("click", () => tell({ type: "close" }));
addEventListener("keydown", event => event.key === "Escape" && !event.defaultPrevented && tell({ type: "close" }));

page.querySelector("[data-again]").addEventListener("submit", event => {
  event.preventDefault();
  if (keptName) tab.removeItem(keptName);
  location.reload();
});

// The address of a file on the chat's own page needs that page's session; here the token of the conversation opens it.
page.addEventListener("click", async event => {
  const link = event.target.closest("a[download]");
  if (!link) return;
  event.preventDefault();
  const { conversation, token } = page.dataset, file = new URL(link.href).pathname.split("/").at(-2);
  const url = address(`api/v1/conversations/${conversation}/files/${file}`);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, credentials: "omit" }).catch(() => null);
  if (!response?.ok) {
    chat.showFailure();
    return;
  }
  const saved = document.createElement("a");
  saved.href = URL.createObjectURL(await response.blob());
  saved.download = link.textContent;
  saved.click();
  URL.revokeObjectURL(saved.href);
});

if (parent === window || !siteOrigin) start(); // opened by itself, or in a frame that a site wrote by hand
else tell({ type: "ready" });
