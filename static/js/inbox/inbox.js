// The inbox page: the counts of its lists, and the chat that is open beside them.
import { PaneLinks } from "../shared/pane_links.js";
import { watchChatCounts } from "./chat_counts.js";
import { ChatPane } from "./chat_pane.js";
import { watchSections } from "./sections.js";

const board = document.querySelector("[data-inbox-board]");

watchChatCounts();
watchSections();
new PaneLinks(board, {
  path: /\/inbox\/g\d+\/$/,
  links: ".queue a[data-row], #holding a[data-key=n]",
  paneKey: "chat",
  showPane: (element, requestedAt) => {
    const pane = new ChatPane(element, requestedAt);
    pane.start();
    return pane;
  },
}).watch();
