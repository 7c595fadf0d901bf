// The customer's older lines, fetched when they are asked for, by the same door that programs use.
import { address } from "../shared/addresses.js";

const AT_ONCE = 100;

export function watchPast(button, { conversation, token }, draw) {
  button?.addEventListener("click", async () => {
    button.disabled = true;
    const lines = await before(Number(button.dataset.before), conversation, token).catch(() => null);
    button.disabled = false;
    if (lines === null) button.textContent = button.dataset.lost;
    else show(button, lines, draw);
  });
}

async function before(first, conversation, token) {
  const after = Math.max(0, first - 1 - AT_ONCE);
  const headers = { accept: "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(address(`api/v1/conversations/${conversation}/messages?after=${after}&limit=${AT_ONCE}`), { headers });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).messages.filter(({ seq }) => seq < first);
}

// What is read stays where it is; the button stays in front as long as there is more.
function show(button, lines, draw) {
  const scroller = button.closest(".scroll");
  const fromEnd = scroller.scrollHeight - scroller.scrollTop;
  button.after(...lines.map(draw));
  const first = lines[0]?.seq ?? 1;
  button.dataset.before = first;
  if (first <= 1) button.remove();
  scroller.scrollTop = scroller.scrollHeight - fromEnd;
}
