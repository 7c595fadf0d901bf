// How many gates and chats wait, on the browser's tab: in the title and on the icon. Quiet hours do not change it.

const MAX_COUNT = 99;
const icon = document.querySelector("link[rel=icon]");
const original = { title: document.title, icon: icon?.href };

export function watchTabBadge() {
  document.addEventListener("soni:counts", ({ detail }) => showBadge(detail.badges));
  showBadge(badgesOnPage());
  document.addEventListener("soni:opened", ({ detail }) => {
    original.title = detail.title;
    showBadge(badgesOnPage());
  });
}

function badgesOnPage() {
  const badges = [...document.querySelectorAll("[data-badge]")];
  const countOf = badge => Number.parseInt(badge.querySelector("[data-number]").textContent);
  return Object.fromEntries(badges.map(badge => [badge.dataset.badge, countOf(badge)]));
}

function showBadge(badges) {
  const count = Object.values(badges ?? {}).reduce((sum, number) => sum + number, 0);
  const text = count > MAX_COUNT ? `${MAX_COUNT}+` : String(count);
  document.title = count ? `(${text}) ${original.title}` : original.title;
  if (icon) icon.href = count ? iconWithText(text) : original.icon;
}

// The product's icon with a filled circle in its corner.
function iconWithText(text) {
  const size = text.length > 2 ? 11 : 15;
  const svg = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    '<path d="M4 18v-4M10 22V10M16 27V5M22 22V10M28 18v-4" fill="none" stroke="#0b6656" stroke-width="3.2"',
    ' stroke-linecap="round"/>',
    '<circle cx="21" cy="11" r="11" fill="#a63d0a"/>',
    `<text x="21" y="${11 + size * 0.36}" font-family="sans-serif" font-size="${size}" font-weight="700" fill="#fff"`,
    ` text-anchor="middle">${text}</text></svg>`,
  ].join("");
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
