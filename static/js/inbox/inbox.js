// The inbox page: the counts of its lists, and the chat that is open.
import { watchChatCounts } from "./chat_counts.js";
import { ChatPane } from "./chat_pane.js";

const pane = document.querySelector("[data-chat]");

watchChatCounts();
if (pane) new ChatPane(pane).start();
