// How many chats wait, are mine and so on, beside the names of the inbox's lists.

const COUNT_DELAY_MS = 1_000;

/**
 * Fetch the counts again after a chat came, went or changed hands. Many pages hear of it in the same moment, so each
 * waits a random time, and a hidden page waits until it is visible.
 */
export function watchChatCounts() {
  const queue = document.querySelector("[data-counts]");
  let timer = 0, isOutdated = false;
  const refreshSoon = () => {
    isOutdated = true;
    timer ||= setTimeout(() => {
      timer = 0;
      if (document.hidden) return;
      isOutdated = false;
      refreshCounts(queue.dataset.counts);
    }, COUNT_DELAY_MS * (1 + Math.random()));
  };
  document.addEventListener("soni:session", ({ detail }) => changesCounts(detail) && refreshSoon());
  // What this person did shows at once.
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === "holding") refreshCounts(queue.dataset.counts);
  });
  document.addEventListener("visibilitychange", () => isOutdated && refreshSoon());
}

function changesCounts({ type, html, escalated }) {
  return html.includes('data-kind="handoff"') && (type !== "session.changed" || escalated);
}

async function refreshCounts(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } }).catch(() => null);
  if (!response?.ok) return;
  for (const [name, count] of Object.entries(await response.json())) {
    for (const element of document.querySelectorAll(`[data-chats="${name}"]`)) {
      element.textContent = count;
      if (name === "waiting") element.classList.toggle("quiet", count === 0);
    }
  }
}
