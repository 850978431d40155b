// Practice beside the table: drills, the practice log, the strategy chart and the curve of chips.

import { byId, make, reviewParts } from "./draw.js";
import { ask, newestOnly } from "./requests.js";

const percent = (share) => `${Math.round(100 * share)} %`;

// The strategy chart, with the cell of the hand in play marked.

const charts = new Map();
const newestChart = newestOnly();

export async function drawChart(house, cell) {
  if (!charts.has(house)) {
    charts.set(house, ask(`/api/chart?house=${encodeURIComponent(house)}`));
    charts.get(house).catch(() => charts.delete(house)); // the next time it is asked for again
  }
  const { upcards, blocks } = await newestChart(charts.get(house));
  byId("chart").replaceChildren(...blocks.map(({ kind, rows }) => make("table", { className: "chart" },
    make("caption", {}, kind),
    make("thead", {}, make("tr", {}, make("td"), ...upcards.map((upcard) => make("th", { scope: "col" }, upcard)))),
    make("tbody", {}, ...rows.map(({ hand, cells }) => make("tr", {}, make("th", { scope: "row" }, hand),
      ...cells.map(({ letter, action, words }, at) => {
        const here = cell && cell.kind === kind && cell.hand === hand && cell.upcard === upcards[at];
        return make("td", { className: `a-${action}${here ? " here" : ""}`, title: words,
          ...(here ? { "aria-current": "true" } : {}) }, letter);
      })))))));
}

// The curve of chips of every person at the table.

const NS = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const newestCurve = newestOnly();

export async function drawCurve(path) {
  const curves = await newestCurve(ask(path));
  byId("curve").replaceChildren(...curves.map(({ name, points }) => {
    const chips = points.map(([, value]) => value);
    const [low, high, last] = [Math.min(...chips), Math.max(...chips), points.at(-1)];
    const x = (round) => (last[0] ? (round / last[0]) * 290 + 5 : 5);
    const y = (value) => 85 - ((value - low) / (high - low || 1)) * 80;
    const line = points.map(([round, value]) => `${x(round).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const text = `${name}: ${chips[0]} chips at first, ${last[1]} after ${last[0]} rounds, lowest ${low}, highest ${high}`;
    return make("figure", {}, svg("svg", { viewBox: "0 0 300 90", role: "img", "aria-label": text },
      svg("line", { x1: 5, x2: 295, y1: y(chips[0]), y2: y(chips[0]), class: "start" }),
      svg("polyline", { points: line, class: "curve" })), make("figcaption", { className: "fine" }, text));
  }));
}

// The practice log of a person.

const newestLog = newestOnly();

export async function drawPractice(person, drill) {
  const query = `person=${encodeURIComponent(person)}`;
  const log = await newestLog(ask(`/api/practice?${query}`));
  const rows = (tallies) => tallies.map(({ name, decisions, accuracy, cost }) => make("tr", {}, make("th", { scope: "row" }, name),
    make("td", {}, String(decisions)), make("td", {}, percent(accuracy)), make("td", {}, cost.toFixed(2))));
  const table = (caption, tallies) => make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, make("td"), ...["decisions", "right", "cost (bets)"].map((word) => make("th", { scope: "col" }, word)))),
    make("tbody", {}, ...rows(tallies)));
  const parts = [make("p", {}, log.total.decisions
    ? `${log.total.decisions} decisions, ${percent(log.total.accuracy)} right. Right in a row: ${log.streak}, longest ${log.longest_streak}.`
    : "No decision has been graded yet. Play a hand, or take a drill.")];
  if (log.kinds.length) parts.push(table("By type of hand", log.kinds));
  if (log.cells.length) parts.push(table("Costliest cells", log.cells));
  if (log.days.length > 1) parts.push(table("By day", log.days.slice(-14)));
  const again = make("button", { type: "button", className: "quiet" }, `Repeat mistakes (${log.due} due)`);
  again.addEventListener("click", () => drill("mistakes"));
  const file = make("a", { href: `/api/practice.csv?${query}`, download: "practice.csv" }, "Export as CSV");
  const wipe = make("button", { type: "button", className: "quiet" }, "Delete");
  wipe.addEventListener("click", async () => {
    if (wipe.textContent === "Delete") {
      wipe.textContent = "Really delete?";
      return;
    }
    await ask("/api/practice/delete", { person });
    await drawPractice(person, drill);
  });
  if (log.total.decisions) parts.push(make("p", { className: "row" }, again, file, wipe));
  byId("practice").replaceChildren(...parts);
}

// Drills: one hand after the other; the decision is reviewed at once.

let about = null;
let current = null; // the question that may be answered; none while one is on its way
let shownAt = 0;
let timer = 0;
const newestAnswer = newestOnly(); // to what was asked last: a question, or the review of a decision

export function prepareDrills(context) {
  about = context;
  byId("drill-close").addEventListener("click", () => byId("drills").close());
  byId("drills").addEventListener("close", forget);
  byId("drill-kind").addEventListener("change", next);
  byId("drill-clock").addEventListener("change", next);
  byId("drills").addEventListener("keydown", (event) => {
    if (event.target.closest("input, select") || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const action = current?.actions.find(({ key }) => key === event.key);
    if (action) decide(action.action);
  });
  return async (kind = "mixed") => {
    if (!byId("drill-kind").children.length) {
      const { drills } = await ask(`/api/practice?person=${encodeURIComponent(about().person)}`);
      byId("drill-kind").replaceChildren(...drills.map(({ name, text }) => make("option", { value: name }, text)));
    }
    byId("drill-kind").value = kind;
    if (!byId("drills").open) byId("drills").showModal();
    next();
  };
}

// Takes the question off the screen, and drops whatever answer is on its way.
function forget() {
  clearTimeout(timer);
  current = null;
  newestAnswer();
  byId("drill-error").textContent = "";
  byId("drill-table").replaceChildren();
}

function picture({ face, name }) {
  return make("img", { src: `/cards/${face}.svg`, alt: name, className: "card" });
}

async function next() {
  forget();
  const { house, person } = about();
  const query = new URLSearchParams({ drill: byId("drill-kind").value, house, person });
  try {
    current = { ...await newestAnswer(ask(`/api/drill?${query}`)), person };
  } catch (error) {
    byId("drill-error").textContent = error.message;
    return;
  }
  const buttons = current.actions.map(({ action, label, key }) => {
    const button = make("button", { type: "button", "aria-keyshortcuts": key }, `${label} `, make("kbd", { "aria-hidden": "true" }, key));
    button.addEventListener("click", () => decide(action));
    return button;
  });
  byId("drill-table").replaceChildren(
    make("div", { className: "cards", id: "drill-upcard" }, make("span", {}, "Dealer"), picture(current.upcard)),
    make("div", { className: "cards", id: "drill-cards" }, make("span", {}, "You"), ...current.cards.map(picture)),
    make("div", { id: "drill-prompt", role: "status" }, `${current.cell}: what do you do?`),
    make("div", { className: "row", id: "drill-actions" }, ...buttons));
  buttons[0].focus();
  shownAt = performance.now();
  const seconds = Number(byId("drill-seconds").value);
  if (byId("drill-clock").checked && seconds > 0) timer = setTimeout(late, 1000 * seconds);
}

function late() {
  current = null;
  byId("drill-prompt").textContent = "Time is up.";
  goOn();
}

async function decide(action) {
  if (!current) return;
  clearTimeout(timer);
  const { question, person } = current;
  current = null;
  byId("drill-actions").replaceChildren();
  const seconds = Math.min(Number(((performance.now() - shownAt) / 1000).toFixed(2)), 86_400);
  try {
    const { review, streak, due } = await newestAnswer(
      ask("/api/drill/answer", { ...question, value: action, person, seconds }));
    byId("drill-prompt").replaceChildren(...reviewParts(review, true),
      make("p", { className: "fine" }, `Right in a row: ${streak}. To repeat: ${due}.`));
  } catch (error) {
    byId("drill-error").textContent = error.message;
  }
  goOn();
}

function goOn() {
  const button = make("button", { type: "button", className: "primary", id: "drill-next" }, "Next hand");
  button.addEventListener("click", next);
  byId("drill-actions").replaceChildren(button);
  button.focus();
}
