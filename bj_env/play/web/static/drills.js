// The dialog of drills: one question after the other; an answer is reviewed at once.

import { askCount } from "./counting.js";
import { byId, make, picture, reviewParts, svg } from "./draw.js";
import { ask, newestOnly } from "./requests.js";

let menu = null;
let about = null;
let keys = {}; // what a key answers, while there is a question
let shownAt = 0;
let timer = 0;
const newestAnswer = newestOnly(); // to what was asked last: a question, or the review of a decision

const isCounting = () => menu.count_drills.some(({ name }) => name === byId("drill-kind").value);

export function prepareDrills(offered, context) {
  [menu, about] = [offered, context];
  const options = (drills) => drills.map(({ name, text }) => make("option", { value: name }, text));
  byId("drill-kind").replaceChildren(make("optgroup", { label: "Hands" }, ...options(menu.drills)),
    make("optgroup", { label: "Counting" }, ...options(menu.count_drills)));
  byId("drill-system").replaceChildren(...menu.systems.map((name) => make("option", { value: name }, name)));
  byId("drill-ramp").value = menu.ramp.map((step) => step.join(":")).join(",");
  byId("drill-close").addEventListener("click", () => byId("drills").close());
  byId("drills").addEventListener("close", forget);
  for (const choice of ["kind", "clock", "system", "ramp", "group"]) byId(`drill-${choice}`).addEventListener("change", next);
  byId("drills").addEventListener("keydown", (event) => {
    if (event.target.closest("input, select") || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    keys[event.key]?.();
  });
  return (kind = "mixed") => {
    byId("drill-kind").value = kind;
    if (!byId("drills").open) byId("drills").showModal();
    next();
  };
}

// Takes the question off the screen, and drops whatever answer is on its way.
function forget() {
  clearTimeout(timer);
  keys = {};
  newestAnswer();
  byId("drill-error").textContent = "";
  byId("drill-table").replaceChildren();
}

async function next() {
  forget();
  byId("drill-table").focus(); // what had the focus is gone
  byId("drill-counting").hidden = !isCounting();
  try {
    await (isCounting() ? askCount(dialog, { drill: byId("drill-kind").value, ...about() }) : askHand());
  } catch (error) {
    byId("drill-error").textContent = error.message;
  }
}

async function askHand() {
  const { house, person } = about();
  const query = new URLSearchParams({ drill: byId("drill-kind").value, house, person });
  const { question, cards, upcard, cell, actions } = await newestAnswer(ask(`/api/drill?${query}`));
  show(row("upcard", "Dealer", [upcard]), row("cards", "You", cards));
  choose(`${cell}: what do you do?`, actions, async (value, seconds) => {
    const { review, streak, due } = await newestAnswer(ask("/api/drill/answer", { ...question, value, person, seconds }));
    return [...reviewParts(review, true), make("p", { className: "fine" }, `Right in a row: ${streak}. To repeat: ${due}.`)];
  });
}

function show(...parts) {
  byId("drill-table").replaceChildren(...parts, make("div", { id: "drill-prompt", role: "status" }),
    make("div", { className: "row", id: "drill-actions" }));
}

const row = (id, who, cards) => make("div", { className: "cards", id: `drill-${id}` }, make("span", {}, who), ...cards.map(picture));

// The discard tray, as high as the shoe.
function tray({ decks, discarded }) {
  const full = discarded / (52 * decks);
  const picture = svg("svg", { viewBox: "0 0 90 150", role: "img", class: "tray",
    "aria-label": `discard tray for ${decks} decks, ${Math.round(100 * full)} % full` },
    svg("rect", { x: 12, width: 66, y: 145 - 140 * full, height: 140 * full, class: "stack" }),
    svg("path", { d: "M5 2V147H85V2", class: "box" }));
  return make("figure", { className: "fine" }, picture, make("figcaption", {}, `Discard tray of ${decks} deck${decks > 1 ? "s" : ""}`));
}

// How many milliseconds the clock allows; 0 without one.
const allowed = () => (byId("drill-clock").checked ? 1000 * (Number(byId("drill-seconds").value) || 0) : 0);

// Asks, and passes the answer with the seconds it took to `review`, which returns what is shown then.
function asked(text, review, timed = true) {
  byId("drill-prompt").textContent = text;
  shownAt = performance.now();
  clearTimeout(timer);
  if (timed && allowed() > 0) timer = setTimeout(late, allowed());
  return async (value) => {
    clearTimeout(timer);
    keys = {};
    const took = Math.min(Number(((performance.now() - shownAt) / 1000).toFixed(2)), 86_400);
    byId("drill-actions").replaceChildren();
    byId("drill-error").textContent = "";
    try {
      byId("drill-prompt").replaceChildren(...await review(value, took));
    } catch (error) {
      byId("drill-error").textContent = error.message;
    }
    goOn();
  };
}

function choose(text, actions, review) {
  const answer = asked(text, review);
  const buttons = actions.map(({ action, label, key }) => {
    const button = make("button", { type: "button", "aria-keyshortcuts": key }, `${label} `, make("kbd", { "aria-hidden": "true" }, key));
    keys[key] = () => answer(action);
    button.addEventListener("click", keys[key]);
    return button;
  });
  byId("drill-actions").replaceChildren(...buttons);
  buttons[0].focus();
}

function enter(text, review, timed = true) {
  const answer = asked(text, review, timed);
  const number = make("input", { id: "drill-number", inputMode: "text", autocomplete: "off", maxLength: 8, size: 6 });
  number.setAttribute("aria-label", text);
  const form = make("form", { className: "row" }, number, make("button", {}, "Answer"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = Number(number.value.trim().replace("−", "-").replace(",", ".") || NaN);
    if (Number.isFinite(value)) answer(value);
    else byId("drill-error").textContent = "expected a number, like -3 or 2.5";
  });
  byId("drill-actions").replaceChildren(form);
  number.focus();
}

// Shows cards in groups, each until `next` is pressed or the clock has run.
function turnOver(cards, size, done) {
  const button = make("button", { type: "button", className: "primary" }, "Next cards");
  let at = 0;
  const turn = () => {
    clearTimeout(timer);
    if (at >= cards.length) return done();
    byId("drill-cards").replaceChildren(...cards.slice(at, at + size).map(picture));
    at += size;
    byId("drill-prompt").textContent = `${Math.min(at, cards.length)} of ${cards.length} cards`;
    if (allowed() > 0) timer = setTimeout(turn, allowed());
    return undefined;
  };
  button.addEventListener("click", turn);
  byId("drill-actions").replaceChildren(button);
  button.focus();
  turn();
}

const dialog = { newestAnswer, show, row, tray, choose, enter, turnOver };

function late() {
  keys = {};
  byId("drill-prompt").textContent = "Time is up.";
  goOn();
}

function goOn() {
  const button = make("button", { type: "button", className: "primary", id: "drill-next" }, "Next question");
  button.addEventListener("click", next);
  byId("drill-actions").replaceChildren(button);
  button.focus();
}
