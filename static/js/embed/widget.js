// The chat on other sites: <script async src="https://…/embed/widget.js" data-assistant="bank"></script>.
// A button in a shadow root opens a frame of this script's server. The two talk by messages, and each takes those of
// the other's exact origin only. The page of the site needs `script-src` and `frame-src` for that server, and no inline
// styles.
(() => {
  const script = document.currentScript;
  const address = new URL(script.src);
  const options = script.dataset;
  const root = document.documentElement;

  const WORDS = {
    en: { chat: "Chat", open: "Open the chat", close: "Close the chat", unread: count => `${count} unread`,
      connecting: "Connecting to the chat…", slow: "If nothing comes, close it and open it again.",
      away: "The chat does not load just now. Close it and open it again, or come back later." },
    es: { chat: "Chat", open: "Abrir el chat", close: "Cerrar el chat", unread: count => `${count} sin leer`,
      connecting: "Conectando con el chat…", slow: "Si no aparece nada, ciérrelo y ábralo de nuevo.",
      away: "El chat no se carga en este momento. Ciérrelo y ábralo de nuevo, o vuelva más tarde." },
  };
  const asked = (options.language || root.lang || navigator.language).slice(0, 2).toLowerCase();
  const language = asked in WORDS ? asked : "en";
  const words = WORDS[language];
  const ICONS = {
    open: "M5 5.5h14v10H11l-4 3.5v-3.5H5z",
    close: "m6.5 6.5 11 11M17.5 6.5l-11 11",
  };

  // Custom properties of the site come through the shadow root.
  const STYLES = `
    :host { all: initial; color-scheme: light dark; }
    button, iframe, p { position: fixed; z-index: var(--soni-layer, 2147483000); bottom: var(--soni-bottom, 20px);
      inset-inline-end: var(--soni-side, 20px); border: 0; }
    .left > * { inset-inline: var(--soni-side, 20px) auto; }
    button { display: grid; place-items: center; width: 60px; height: 60px; border-radius: 18px; cursor: pointer;
      background: var(--soni-brand, #0b6656); color: var(--soni-brand-ink, #fff);
      box-shadow: 0 2px 6px #0003, 0 8px 28px #0002; }
    button:focus-visible { outline: 3px solid var(--soni-brand, #0b6656); outline-offset: 3px; }
    svg { width: 28px; height: 28px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round;
      stroke-linejoin: round; }
    b { position: absolute; top: -6px; inset-inline-end: -6px; min-width: 22px; height: 22px; padding: 0 5px;
      box-sizing: border-box; border: 2px solid #fff; border-radius: 11px; background: #a63d0a; color: #fff;
      font: 600 12px/18px ui-sans-serif, "Segoe UI", Roboto, Arial, sans-serif; text-align: center; }
    span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    iframe, p { bottom: calc(var(--soni-bottom, 20px) + 72px); width: var(--soni-width, 380px);
      max-width: 92vw; }
    p { margin: 0; padding: 16px; box-sizing: border-box; border-radius: 14px; background: Canvas; color: CanvasText;
      font: 15px/1.5 ui-sans-serif, "Segoe UI", Roboto, Arial, sans-serif; box-shadow: 0 4px 12px #0003; }
    iframe, .wait { height: min(var(--soni-height, 600px), calc(100vh - 112px)); border-radius: 14px;
      background: Canvas; box-shadow: 0 4px 12px #0003, 0 12px 48px #0003; }
    .wait { display: grid; place-content: center; text-align: center; white-space: pre-line; }
    [hidden] { display: none; }
    @media (width < 480px) {
      iframe, .wait, .left iframe, .left .wait { inset: 0; width: 100%; max-width: none; height: 100%;
        border-radius: 0; }
      .open button { display: none; }
    }`;
  const SLOW_MS = 5_000; // from then on it says what can be done
  const LATE_MS = 12_000; // a frame that says nothing for so long shows the browser's error, or nothing
  const THEME = ["brand", "brand-ink", "font", "radius"];

  let frame = null, isOpen = false, isReady = false, isSlow = false, isLate = false, unread = 0;
  let slowTimer = 0, lateTimer = 0;
  let userToken = options.userToken || "";

  const host = document.createElement("soni-chat");
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  shadow.adoptedStyleSheets = [sheet];

  // The colour that the line names. The text on it is white or black, whichever can be read better (WCAG 2).
  if (/^#[0-9a-f]{6}$/i.test(options.brand)) {
    const parts = [1, 3, 5].map(at => parseInt(options.brand.slice(at, at + 2), 16) / 255);
    const [red, green, blue] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
    host.style.setProperty("--soni-brand", options.brand);
    host.style.setProperty("--soni-brand-ink", isLight ? "#000" : "#fff");
  }

  const box = document.createElement("div");
  if (options.corner === "left") box.className = "left";
  const button = document.createElement("button");
  const badge = document.createElement("b");
  const status = document.createElement("span"); // says aloud what came while the chat was closed, or that it connects
  status.setAttribute("role", "status");
  const wait = document.createElement("p"); // covers the empty frame until the chat is there
  wait.className = "wait";
  wait.setAttribute("aria-hidden", "true"); // the status has the same words
  const note = document.createElement("p"); // stands in the place of a frame that does not load
  note.setAttribute("role", "alert");
  button.type = "button";
  button.addEventListener("click", () => (isOpen ? close() : open()));
  box.append(note, wait, button, status);
  shadow.append(box);

  function icon(path) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  }

  function show() {
    const counted = unread > 0 && !isOpen ? words.unread(unread) : "";
    badge.textContent = unread > 9 ? "9+" : String(unread);
    badge.setAttribute("aria-hidden", "true");
    button.replaceChildren(icon(isOpen ? ICONS.close : ICONS.open), ...(counted ? [badge] : []));
    button.setAttribute("aria-label", [isOpen ? words.close : words.open, counted].filter(Boolean).join(", "));
    button.setAttribute("aria-expanded", String(isOpen));
    wait.hidden = !isOpen || isReady || isLate;
    wait.textContent = wait.hidden ? "" : [words.connecting, ...(isSlow ? [words.slow] : [])].join("\n");
    status.textContent = counted || wait.textContent;
    box.classList.toggle("open", isOpen && isReady); // on a phone the chat's own button closes it, once there is one
    note.hidden = !(isOpen && isLate);
    note.textContent = note.hidden ? "" : words.away;
    if (frame) frame.hidden = !isOpen || isLate;
  }

  function send(message) {
    if (isReady) frame.contentWindow.postMessage({ soni: 1, ...message }, address.origin);
  }

  function stopTimers() {
    clearTimeout(slowTimer);
    clearTimeout(lateTimer);
  }

  // The frame is made when it is opened first, so that a page whose visitors do not chat loads nothing.
  function load() {
    isReady = isSlow = isLate = false;
    frame?.remove();
    stopTimers();
    slowTimer = setTimeout(() => {
      isSlow = true;
      show();
    }, SLOW_MS);
    lateTimer = setTimeout(() => {
      isLate = true;
      show();
      if (isOpen) button.focus();
    }, LATE_MS);
    const url = new URL(`${encodeURIComponent(options.assistant)}/`, address);
    url.searchParams.set("origin", location.origin);
    url.searchParams.set("language", language);
    frame = document.createElement("iframe");
    frame.title = options.title || words.chat;
    frame.src = url.href;
    box.prepend(frame);
  }

  function open() {
    isOpen = true;
    unread = 0;
    if (!frame || isSlow || isLate) load();
    show();
    send({ type: "open" });
    frame.focus();
  }

  function close() {
    if (!isOpen) return;
    isOpen = false;
    show();
    send({ type: "close" });
    button.focus();
  }

  function signIn(token) {
    if (token === userToken) return;
    userToken = token;
    if (frame) load(); // another customer is another conversation
    show();
  }

  // A page that declares no dark colours is light, whatever its visitor's machine prefers.
  function pageScheme() {
    const declared = getComputedStyle(root).colorScheme;
    if (!declared.includes("dark")) return "light";
    return declared.includes("light") && !matchMedia("(prefers-color-scheme: dark)").matches ? "light" : "dark";
  }

  function theme() {
    const style = getComputedStyle(host);
    const properties = THEME.map(name => [name, style.getPropertyValue(`--soni-${name}`).trim()]);
    return { scheme: options.theme || pageScheme(), properties: properties.filter(([, value]) => value) };
  }

  const RECEIVERS = {
    ready() {
      isReady = true;
      isSlow = isLate = false;
      stopTimers();
      show();
      const { title, keep = "", privacy = "" } = options;
      send({ type: "begin", userToken, theme: theme(), title, keep, privacy, isOpen });
    },
    line() {
      if (isOpen) return;
      unread += 1;
      show();
    },
    close,
    refused({ detail }) {
      dispatchEvent(new CustomEvent("soni:refused", { detail: String(detail) }));
    },
  };

  addEventListener("message", event => {
    if (event.origin !== address.origin || !frame || event.source !== frame.contentWindow) return;
    if (event.data?.soni === 1 && Object.hasOwn(RECEIVERS, event.data.type)) RECEIVERS[event.data.type](event.data);
  });

  window.Soni = { open, close, signIn, signOut: () => signIn("") };
  const begin = () => {
    document.body.append(host);
    show();
    if ("open" in options) open();
    dispatchEvent(new CustomEvent("soni:loaded"));
  };
  if (document.body) begin();
  else addEventListener("DOMContentLoaded", begin);
})();
