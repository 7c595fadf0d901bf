// What reaches somebody who looks elsewhere: a notification of the browser's and a sound. Both are off until this person
// switches them on; the browser is asked for its permission by that press and by nothing else.

const WISHES = { notify: "soni_notify", sound: "soni_sound" };
const LOUDNESS = 0.06;
let audio = null;

export function watchSwitches() {
  for (const button of document.querySelectorAll("[data-alert]")) {
    show(button);
    button.addEventListener("click", () => flip(button));
  }
}

// `key` names what it is about: told from several tabs, it is shown once.
export function alertAway(text, { key, href }) {
  if (wished("sound")) beep();
  if (!wished("notify") || !document.hidden) return;
  const shown = new Notification(document.querySelector("[data-alert=notify]")?.dataset.from ?? "Soni", { body: text, tag: key });
  shown.addEventListener("click", () => {
    shown.close();
    focus();
    location.assign(href);
  });
}

function wished(name) {
  if (name === "notify" && (!("Notification" in window) || Notification.permission !== "granted")) return false;
  return localStorage.getItem(WISHES[name]) === "on";
}

async function flip(button) {
  const name = button.dataset.alert;
  if (wished(name)) localStorage.removeItem(WISHES[name]);
  else if (name !== "notify" || await permitted(button)) localStorage.setItem(WISHES[name], "on");
  if (name === "sound" && wished(name)) beep();
  show(button);
}

async function permitted(button) {
  const answer = "Notification" in window ? await Notification.requestPermission() : "denied";
  if (answer !== "granted") button.querySelector("[data-words]").textContent = button.dataset.refused;
  return answer === "granted";
}

function show(button) {
  button.setAttribute("aria-pressed", String(wished(button.dataset.alert)));
}

// Two short tones; no file has to be fetched for them.
function beep() {
  audio ??= new AudioContext();
  for (const [place, pitch] of [660, 880].entries()) tone(pitch, audio.currentTime + place * 0.14);
}

function tone(pitch, at) {
  const voice = audio.createOscillator(), volume = audio.createGain();
  voice.frequency.value = pitch;
  volume.gain.setValueAtTime(LOUDNESS, at);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.12);
  voice.connect(volume).connect(audio.destination);
  voice.start(at);
  voice.stop(at + 0.13);
}
