// Alerts for a person who looks at another window: a notification of the browser and a sound. Both are off until the
// person switches them on. The browser asks for its permission after that press and at no other time.

const STORAGE_KEYS = { notify: "soni_notify", sound: "soni_sound" };
const VOLUME = 0.06;
const SILENT_VOLUME = 0.0001; // an exponential ramp cannot end at zero
const TONES_HERTZ = [660, 880];
const TONE_INTERVAL_SECONDS = 0.14;
const FADE_SECONDS = 0.12;
const TONE_SECONDS = 0.13;
let audio = null;

export function watchAlertSwitches() {
  for (const button of document.querySelectorAll("[data-alert]")) {
    showSwitch(button);
    button.addEventListener("click", () => toggle(button));
  }
}

/** Alert the person. `key` names the subject: several tabs with the same key show one notification. */
export function alertPerson(text, { key, href }) {
  if (isOn("sound")) playSound();
  if (!isOn("notify") || !document.hidden) return;
  const title = document.querySelector("[data-alert=notify]")?.dataset.from ?? "Soni";
  const notification = new Notification(title, { body: text, tag: key });
  notification.addEventListener("click", () => {
    notification.close();
    focus();
    location.assign(href);
  });
}

function isOn(name) {
  if (name === "notify" && !("Notification" in window && Notification.permission === "granted")) return false;
  return localStorage.getItem(STORAGE_KEYS[name]) === "on";
}

async function toggle(button) {
  const name = button.dataset.alert;
  if (isOn(name)) localStorage.removeItem(STORAGE_KEYS[name]);
  else if (name !== "notify" || await requestPermission(button)) localStorage.setItem(STORAGE_KEYS[name], "on");
  if (name === "sound" && isOn(name)) playSound();
  showSwitch(button);
}

async function requestPermission(button) {
  const permission = "Notification" in window ? await Notification.requestPermission() : "denied";
  if (permission !== "granted") button.querySelector("[data-words]").textContent = button.dataset.refused;
  return permission === "granted";
}

function showSwitch(button) {
  button.setAttribute("aria-pressed", String(isOn(button.dataset.alert)));
}

// Two short tones, made here so that no file has to be fetched.
function playSound() {
  audio ??= new AudioContext();
  for (const [index, hertz] of TONES_HERTZ.entries()) {
    playTone(hertz, audio.currentTime + index * TONE_INTERVAL_SECONDS);
  }
}

function playTone(hertz, start) {
  const oscillator = audio.createOscillator(), volume = audio.createGain();
  oscillator.frequency.value = hertz;
  volume.gain.setValueAtTime(VOLUME, start);
  volume.gain.exponentialRampToValueAtTime(SILENT_VOLUME, start + FADE_SECONDS);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + TONE_SECONDS);
}
