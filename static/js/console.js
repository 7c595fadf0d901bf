// What every page of the console does; a page's own module comes beside it.
import "./clocks.js";
import "./command.js";
import "./consequences.js";
import "./older.js";
import "./keys.js";
import "./menus.js";
import "./theme.js";
import "./undo.js";
import { watchCounts } from "./counts.js";
import { watchInbox } from "./inbox.js";
import { watchNotices } from "./notices.js";

const cursor = document.body.dataset.inbox;
if (cursor !== undefined) {
  watchInbox(Number(cursor));
  watchCounts();
  watchNotices();
}
