// The page of a conversation: new lines appear at the end of its transcript while it is read.
import { address } from "../shared/addresses.js";
import { LiveConnection } from "../shared/live.js";
import { TranscriptView } from "../shared/transcript.js";

const pane = document.querySelector("[data-story]");
const transcript = new TranscriptView(pane.querySelector("[data-log]"), {
  ownRole: "operator",
  nameOf: frame => frame.role === "assistant" ? pane.dataset.bot : frame.author,
});
const connection = new LiveConnection(address(`ws/conversations/${pane.dataset.story}/`), {
  after: Number(pane.dataset.after), number: "seq",
});

connection.addEventListener("message", ({ detail: frame }) => {
  if (transcript.hasLine(frame.seq)) return;
  transcript.addLine(frame);
  pane.querySelector("[data-newer]").hidden = false;
});
transcript.scrollToEnd();
