// A conversation that is read while it goes on: new lines are added at the end, nothing else moves.
import { Live } from "../shared/live.js";
import { lineElement } from "../shared/transcript.js";
import { address } from "../shared/addresses.js";

const pane = document.querySelector("[data-story]");
const log = pane.querySelector("[data-log]");
const scroller = log.closest(".scroll");
const live = new Live(address(`ws/conversations/${pane.dataset.story}/`), { after: Number(pane.dataset.after), number: "seq" });

live.addEventListener("message", ({ detail }) => {
  if (log.querySelector(`[data-seq="${detail.seq}"]`)) return;
  const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
  log.querySelector("[data-empty]")?.remove();
  log.append(lineElement(detail, { mine: "operator", label: frame => frame.role === "assistant" ? pane.dataset.bot : frame.author }));
  if (atEnd) scroller.scrollTop = scroller.scrollHeight;
});

scroller.scrollTop = scroller.scrollHeight;
