// What every page of the console does; a page's own module comes beside it.
import "../shared/clocks.js";
import "./command_bar.js";
import "./consequences.js";
import "./older_lines.js";
import "./keyboard.js";
import "./menus.js";
import "../shared/theme.js";
import "./undo.js";
import { watchCounts } from "./tab_badge.js";
import { watchInbox } from "./inbox_feed.js";
import { watchNotices } from "./notices.js";

const cursor = document.body.dataset.inbox;
if (cursor !== undefined) {
  watchInbox(Number(cursor));
  watchCounts();
  watchNotices();
}
