// The reader's time zone. A cookie tells the server the browser's zone, so that its pages have the right times from the
// first byte. A zone that the person chose in the console comes with the page and wins.

const COOKIE_SECONDS = 31_536_000; // a year
const root = document.documentElement;
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone in which this page shows its times: an IANA name, such as "Europe/Madrid". */
export function pageZone() {
  return root.dataset.zone || browserZone || "UTC";
}

function cookieZone() {
  return document.cookie.split("; ").find(cookie => cookie.startsWith("zone="))?.slice("zone=".length);
}

if (browserZone && !("zoneChosen" in root.dataset)) {
  root.dataset.zone = browserZone;
  if (cookieZone() !== browserZone) {
    const path = root.dataset.root ?? "/";
    document.cookie = `zone=${browserZone};path=${path};max-age=${COOKIE_SECONDS};samesite=lax`;
  }
}
