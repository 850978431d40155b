// Practice beside the table: the practice log, the strategy chart and the curve of chips.

import { byId, make, svg } from "./draw.js";
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
  const { legend, upcards, blocks } = await newestChart(charts.get(house));
  byId("chart").replaceChildren(make("p", { className: "fine" }, legend), ...blocks.map(({ kind, rows }) => make("table", { className: "chart" },
    make("caption", {}, kind),
    make("thead", {}, make("tr", {}, make("td"), ...upcards.map((upcard) => make("th", { scope: "col" }, upcard)))),
    make("tbody", {}, ...rows.map(({ hand, cells }) => make("tr", {}, make("th", { scope: "row" }, hand),
      ...cells.map(({ letter, action, words }, at) => {
        const here = cell && cell.kind === kind && cell.hand === hand && cell.upcard === upcards[at];
        return make("td", { className: `a-${action}${here ? " here" : ""}`, title: words, "aria-label": words,
          ...(here ? { "aria-current": "true" } : {}) }, letter);
      })))))));
}

// The curve of chips of every person at the table.

const newestCurve = newestOnly();

export async function drawCurve(path) {
  const curves = await newestCurve(ask(path));
  byId("curve").replaceChildren(...curves.map(({ name, points }) => {
    const chips = points.map(([, value]) => value);
    const [low, high, last] = [Math.min(...chips), Math.max(...chips), points.at(-1)];
    const x = (round) => (last[0] ? (round / last[0]) * 290 + 5 : 5);
    const y = (value) => 85 - ((value - low) / (high - low || 1)) * 80;
    const line = points.map(([round, value]) => `${x(round).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const text = `${name}: ${chips[0]} chips at first, ${last[1]} after ${last[0]} round${last[0] === 1 ? "" : "s"}, lowest ${low}, highest ${high}`;
    return make("figure", {}, svg("svg", { viewBox: "0 0 300 90", role: "img", "aria-label": text },
      svg("line", { x1: 5, x2: 295, y1: y(chips[0]), y2: y(chips[0]), class: "start" }),
      svg("polyline", { points: line, class: "curve" })), make("figcaption", { className: "fine" }, text));
  }));
}

// The practice log of a person.

const inSeconds = (time) => (time === null ? "" : `${time.toFixed(1)} s`);

function countTable(tallies) {
  return make("table", {}, make("caption", {}, "Counting"),
    make("thead", {}, make("tr", {}, make("td"), ...["answers", "right", "mean", "fastest"].map((word) => make("th", { scope: "col" }, word)))),
    make("tbody", {}, ...tallies.map(({ name, answers, right, seconds, fastest }) => make("tr", {},
      make("th", { scope: "row" }, name), make("td", {}, String(answers)), make("td", {}, percent(right / answers)),
      make("td", {}, inSeconds(seconds)), make("td", {}, inSeconds(fastest))))));
}

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
    ? `${log.total.decisions} decision${log.total.decisions === 1 ? "" : "s"}, ${percent(log.total.accuracy)} right. Right in a row: ${log.streak}, longest ${log.longest_streak}.`
    : "No decision has been graded yet. Play a hand, or take a drill.")];
  if (log.kinds.length) parts.push(table("By type of hand", log.kinds));
  if (log.cells.length) parts.push(table("Costliest cells", log.cells));
  if (log.days.length > 1) parts.push(table("By day", log.days.slice(-14)));
  if (log.counts.length) parts.push(countTable(log.counts));
  const again = make("button", { type: "button", className: "quiet" }, `Repeat mistakes (${log.due} due)`);
  again.addEventListener("click", () => drill("mistakes"));
  const file = make("a", { href: `/api/practice.csv?${query}`, download: "practice.csv" }, "Export as CSV");
  const counts = make("a", { href: `/api/practice.csv?${query}&of=counts`, download: "counts.csv" }, "Counts as CSV");
  const wipe = make("button", { type: "button", className: "quiet" }, "Delete");
  wipe.addEventListener("click", async () => {
    if (wipe.textContent === "Delete") {
      wipe.textContent = "Really delete?";
      return;
    }
    await ask("/api/practice/delete", { person });
    await drawPractice(person, drill);
  });
  if (log.total.decisions || log.counts.length) {
    parts.push(make("p", { className: "row" }, again, file, ...(log.counts.length ? [counts] : []), wipe));
  }
  byId("practice").replaceChildren(...parts);
}
