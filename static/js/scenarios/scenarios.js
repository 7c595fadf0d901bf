// Scenarios: while they run, the page's parts are fetched anew; the coverage is painted on the graph of one flow.
import { start } from "../graph/draw.js";

const EVERY = 900;
const page = document.getElementById("main");

// Solid is what was taken, dashed what was expected, and pale what some scenario went through.
function paint() {
  const data = document.getElementById("graph-data");
  if (!data) return;
  const { went, got, want } = JSON.parse(data.textContent);
  const ran = new Set(went.map(([from, to]) => `${from} ${to}`));
  for (const edge of page.querySelectorAll(".edges > path, .case-label")) {
    const { from, to } = edge.dataset;
    edge.classList.toggle("ran", ran.has(`${from} ${to}`));
    edge.classList.toggle("got", from === got[0] && to === got[1]);
    edge.classList.toggle("want", from === want[0] && to === want[1]);
  }
  for (const node of page.querySelectorAll("[data-graph] [data-step]")) node.classList.toggle("at", node.dataset.step === got[0]);
}

async function refresh() {
  try {
    const answer = await fetch(location.href);
    if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the next look tries again */ }
  if ("running" in page.dataset) setTimeout(refresh, EVERY);
}

function take(fresh) {
  for (const part of fresh.querySelectorAll("[data-part]")) swap(page.querySelector(`[data-part="${part.dataset.part}"]`), part);
  if (!("running" in fresh.getElementById("main").dataset)) delete page.dataset.running;
}

function normal(part) {
  return part.innerHTML.replace(/name="csrfmiddlewaretoken" value="[^"]*"/g, "");
}

// Rows never move under the hand: the same rows are there, and the scroll and the focus stay.
function swap(old, part) {
  if (!old || normal(old) === normal(part)) return;
  const place = old.querySelector(".scroll")?.scrollTop ?? 0;
  const held = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const graph = old.querySelector("[data-graph]");
  if (graph && graph.dataset.name === part.querySelector("[data-graph]")?.dataset.name) return counts(old, part);
  old.replaceChildren(...part.childNodes);
  if (old.querySelector(".scroll")) old.querySelector(".scroll").scrollTop = place;
  if (held) old.querySelector(`[href="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  if (old.querySelector("[data-graph]")) start(old.querySelector("[data-graph]"));
  paint();
}

// The same flow: only the numbers, the marks and the sum change, and the drawing stays as it is zoomed.
function counts(old, part) {
  for (const node of part.querySelectorAll("[data-step]")) {
    const mine = old.querySelector(`[data-step="${CSS.escape(node.dataset.step)}"]`);
    mine?.querySelector(".runs").replaceWith(node.querySelector(".runs"));
    mine?.classList.toggle("never", node.classList.contains("never"));
  }
  for (const name of ["#graph-data", ".sum"]) old.querySelector(name).replaceWith(part.querySelector(name));
  paint();
}

page.querySelector("[data-flow]")?.addEventListener("change", event => event.target.form.submit());
matchMedia("(width < 760px)").addEventListener("change", () => requestAnimationFrame(paint));
paint();
if ("running" in page.dataset) setTimeout(refresh, EVERY);
