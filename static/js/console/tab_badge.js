// How much waits, where it is seen from another window too: in the title and on the page's icon. The counts never fall
// silent.

const MOST = 99;
const icon = document.querySelector("link[rel=icon]");
const plain = { title: document.title, icon: icon?.href };

export function watchCounts() {
  document.addEventListener("soni:counts", ({ detail }) => show(detail.badges));
  show(badgesOnPage());
}

function badgesOnPage() {
  return Object.fromEntries([...document.querySelectorAll("[data-badge]")].map(badge => [badge.dataset.badge, Number.parseInt(badge.querySelector("[data-number]").textContent)]));
}

function show(badges) {
  const waiting = Object.values(badges ?? {}).reduce((sum, count) => sum + count, 0);
  const words = waiting > MOST ? `${MOST}+` : String(waiting);
  document.title = waiting ? `(${words}) ${plain.title}` : plain.title;
  if (icon) icon.href = waiting ? drawn(words) : plain.icon;
}

function drawn(words) {
  const size = words.length > 2 ? 11 : 15;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M4 18v-4M10 22V10M16 27V5M22 22V10M28 18v-4" fill="none" stroke="#0b6656" stroke-width="3.2" stroke-linecap="round"/><circle cx="21" cy="11" r="11" fill="#a63d0a"/><text x="21" y="${11 + size * 0.36}" font-family="sans-serif" font-size="${size}" font-weight="700" fill="#fff" text-anchor="middle">${words}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
