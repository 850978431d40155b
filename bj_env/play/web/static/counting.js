// Counting drills, and the count that is asked for at the table.

import { byId, make } from "./draw.js";
import { ask, newestOnly } from "./requests.js";

const rampFrom = (text) => text.split(",").map((step) => step.split(":").map(Number));

export async function askCount(dialog, { drill, house, person }) {
  byId("drill-ramp-label").hidden = drill !== "bet";
  byId("drill-group-label").hidden = drill !== "deck";
  const wanted = { drill, house, system: byId("drill-system").value, ramp: rampFrom(byId("drill-ramp").value) };
  const asked = await dialog.newestAnswer(ask("/api/count-drill", wanted));
  const began = performance.now();
  const review = async (value, took) => {
    const seconds = drill === "deck" ? Number(((performance.now() - began) / 1000).toFixed(2)) : took;
    const { right, answer, why } = await dialog.newestAnswer(ask("/api/count-drill/answer",
      { ...asked.question, value, person, seconds: Math.min(seconds, 86_400) }));
    return [make("p", {}, make("strong", { className: right ? "best" : "mistake" }, right ? "Right" : "Not right"), `: ${answer}. ${why}`),
      make("p", { className: "fine" }, `${seconds.toFixed(1)} seconds.`)];
  };
  if (drill === "deck") {
    dialog.show(make("div", { className: "cards", id: "drill-cards" }));
    dialog.turnOver(asked.cards, Number(byId("drill-group").value), () => {
      byId("drill-cards").replaceChildren();
      dialog.enter(asked.text, review, false);
    });
    return;
  }
  dialog.show(...(asked.tray ? [dialog.tray(asked.tray)] : []),
    ...(asked.upcard ? [dialog.row("upcard", "Dealer", [asked.upcard]), dialog.row("cards", "You", asked.cards)] : []));
  if (asked.actions.length) dialog.choose(asked.text, asked.actions, review);
  else dialog.enter(asked.text, review);
}

// The count at the table: asked for before a bet, after some rounds of a shoe.

const newestCheck = newestOnly();
let settled = ""; // for which state it was answered or passed over

export function drawCountForm(path, { moves, pending, setup, no_count: none }, wanted) {
  const counts = wanted || setup.seats.some(({ who }) => who === "hi-lo");
  byId("count-none").textContent = counts && none ? `${none[0].toUpperCase()}${none.slice(1)}.` : "";
  const position = `${path}/${moves}`;
  const due = wanted && Boolean(pending?.count_due) && settled !== position;
  byId("count-form").hidden = !due;
  if (settled !== position) byId("count-said").textContent = "";
  byId("count-form").onsubmit = async (event) => {
    event.preventDefault();
    const [running, true_] = ["count-running", "count-true"].map((id) => Number(byId(id).value.trim().replace("−", "-") || NaN));
    if (!Number.isFinite(running) || !Number.isFinite(true_)) {
      byId("count-said").textContent = "Type two numbers, like -3 and -1.";
      return;
    }
    try {
      const check = await newestCheck(ask(path, { seen: moves, running, true: true_ }));
      if (check.stale) return;
      const right = check.running_right && check.true_right;
      byId("count-said").replaceChildren(make("strong", { className: right ? "best" : "mistake" }, right ? "Right" : "Not right"),
        `: running ${check.running}, true ${check.true}.`);
      settled = position;
      byId("count-form").hidden = true;
      byId("count-running").value = byId("count-true").value = "";
      byId("actions").firstElementChild.focus();
    } catch (error) {
      byId("count-said").textContent = error.message;
    }
  };
}
