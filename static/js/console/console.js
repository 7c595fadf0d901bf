// What every page of the console does. A page's own module is loaded beside it.
import "../shared/clocks.js";
import "../shared/drop_zone.js";
import "../shared/theme.js";
import "./changed_forms.js";
import "./command_bar.js";
import "./consequences.js";
import "./keyboard.js";
import "./menus.js";
import "./palette.js";
import "./polling.js";
import "./sending.js";
import "./undo.js";
import { watchOlderLines } from "../shared/older_lines.js";
import { watchInbox } from "./inbox_feed.js";
import { watchNotices } from "./notices.js";
import { watchTabBadge } from "./tab_badge.js";

watchOlderLines();
// On a phone, a row of tabs may reach over the screen: the chosen one is in sight.
document.querySelector(".pane > header > .tabs > [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });

const lastEvent = document.body.dataset.inbox; // only on pages of people who may see the inbox
if (lastEvent !== undefined) {
  watchInbox(Number(lastEvent));
  watchTabBadge();
  watchNotices();
}
