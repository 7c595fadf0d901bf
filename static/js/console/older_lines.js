// Older lines of a transcript come when they are asked for; what is read stays where it is.

document.addEventListener("click", event => {
  const button = event.target.closest("[data-older]");
  if (button) fetchOlder(button);
});

async function fetchOlder(button) {
  button.disabled = true;
  const html = await fetch(button.dataset.older, { headers: { "hx-request": "true" } }).then(answer => answer.ok ? answer.text() : null).catch(() => null);
  if (html === null) return fail(button);
  const scroller = button.closest(".scroll");
  const fromEnd = scroller.scrollHeight - scroller.scrollTop;
  const lines = new DOMParser().parseFromString(html, "text/html").body;
  const next = lines.querySelector("[data-older]") ?? lines.querySelector("[data-seq]");
  button.replaceWith(...lines.childNodes);
  scroller.scrollTop = scroller.scrollHeight - fromEnd;
  if (next?.matches("button")) next.focus({ preventScroll: true });
}

function fail(button) {
  button.disabled = false;
  button.textContent = button.dataset.lost;
}
