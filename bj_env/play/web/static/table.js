// The page of one table: sends what is clicked, and shows what the server answers. No rule of the game stands here.

import {
  CHIPS, byId, drawActions, drawCoach, drawGrades, drawHistory, drawLog, drawTable, make, setButton,
} from "./draw.js";
import { open, prepare } from "./setup.js";

const AGAIN = 2000; // milliseconds until a strategy that got no answer through is asked again
const SHOWN = ["values", "policies", "count", "grades"];
const kept = {
  get: (name) => { try { return localStorage.getItem(`table.${name}`); } catch { return null; } },
  set: (name, value) => { try { localStorage.setItem(`table.${name}`, value); } catch { /* a private window keeps nothing */ } },
};

let table = decodeURIComponent(location.pathname.match(/^\/t\/([^/]+)$/)?.[1] ?? "");
let state = null;
let said = null;
let busy = false;
let timer = 0;
let bets = {}; // the last bet of each seat, which stands until it is changed

async function ask(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, body ? post : {});
  } catch {
    throw new Error("the table does not answer: is 'bj table' still running?");
  }
  const came = await answer.json();
  if (answer.status === 409) return came.state; // another click or tab was first: this is how the table lies now
  if (!answer.ok) throw Object.assign(new Error(came.error), { status: answer.status });
  return came;
}

const pace = () => Number(byId("pace").value);
const here = (what = "") => `/api/tables/${encodeURIComponent(table)}${what}`;

// Sends one request at a time, and shows what came of it.
async function move(path, body) {
  if (busy) return;
  busy = true;
  clearTimeout(timer);
  const at = table;
  try {
    const came = await ask(path, body);
    busy = false;
    if (at === table) show(came);
    else look(); // a new table was shoe_state meanwhile
  } catch (error) {
    busy = false;
    byId("hint").textContent = error.message;
    if (error.status === 404) leave();
    else if (state?.pending && !state.pending.person) timer = setTimeout(step, AGAIN); // nobody here could press anything
  }
}

const look = () => move(here());

function show(came) {
  state = { ...came, table };
  byId("hint").textContent = "";
  drawTable(state, pace());
  byId("prompt").textContent = state.prompt;
  document.body.classList.toggle("mine", Boolean(state.pending?.person));
  document.body.dataset.moves = state.moves;
  drawBet();
  drawActions(state, press);
  checkBet();
  drawLog(state);
  drawHistory(state, copy);
  byId("history-note").hidden = !state.dealer.person;
  drawGrades(state, showing("grades"));
  if (said?.moves !== state.moves) said = null;
  drawCoach(said, shown());
  if (state.pending && !state.pending.person) timer = setTimeout(step, state.pending.betting ? Math.min(pace(), 400) : pace());
  else if (state.pending) listen();
  if (!state.pending) offerAgain();
}

const step = () => move(here("/step"), { seen: state.moves });

const showing = (what) => byId(`show-${what}`).checked;
const shown = () => Object.fromEntries(SHOWN.map((what) => [what, showing(what)]));

// Asks the coach, if anything of what it says is wanted.
async function listen() {
  const { moves, pending } = state;
  const wanted = pending.betting ? showing("count") || showing("policies") : SHOWN.some(showing);
  if (!wanted || said?.moves === moves) return;
  try {
    const came = await ask(here("/coach"));
    if (came.moves !== state.moves) return;
    said = came;
    drawCoach(said, shown());
  } catch (error) {
    drawCoach({ note: error.message }, shown());
  }
}

// Bets

const fixed = () => state.stake.least === state.stake.most;
const betting = () => Boolean(state?.pending?.person && state.pending.betting);

let drawn = ""; // for which bet the amount was filled in, so that what is typed stays when the table is drawn again

function drawBet() {
  byId("bet").hidden = !betting() || (fixed() && !state.pending.sit_out);
  const due = `${table}/${state.moves}`;
  if (!betting() || drawn === due) return;
  [drawn, fresh] = [due, true];
  const { seat, least, most, sit_out: sitOut } = state.pending;
  for (const element of [byId("chips"), byId("amount").parentElement, byId("clear")]) element.hidden = fixed();
  byId("sit-out").hidden = !sitOut;
  byId("amount").value = Math.min(Math.max(bets[seat] ?? Math.max(least, Math.min(10, most)), least), most);
  byId("amount").setAttribute("aria-label", `Bet, ${least} to ${most} chips`);
}

let fresh = true; // whether the next chip begins a new bet, instead of adding to the one that stands

const amount = () => (/^\s*\d{1,10}\s*$/.test(byId("amount").value) ? Number(byId("amount").value) : NaN);

// Says why the bet cannot be placed as it stands; empty if it can.
function whyNoBet() {
  const { least, most } = state.pending;
  if (fixed() || (amount() >= least && amount() <= most)) return "";
  return `the bet must be ${least} to ${most} chips`;
}

function checkBet() {
  if (betting()) setButton(byId("actions").firstElementChild, "Play", whyNoBet());
}

function addChip(value) {
  if (!betting() || fixed()) return;
  byId("amount").value = Math.min((fresh ? 0 : amount() || 0) + value, state.pending.most);
  fresh = false;
  checkBet();
}

function clearBet() {
  byId("amount").value = "";
  fresh = false;
  checkBet();
}

function placeBet(chips) {
  bets[state.pending.seat] = chips || bets[state.pending.seat];
  move(here("/answer"), { seen: state.moves, value: chips });
}

// Presses a button, or says why it does nothing.
function press(action) {
  const button = byId("actions").querySelector(`[data-action="${action}"]`);
  if (!state || !button || busy) return;
  if (button.getAttribute("aria-disabled") === "true") {
    byId("hint").textContent = `${button.firstElementChild.textContent}: ${button.title}`;
  } else if (action === "play") {
    placeBet(fixed() ? state.stake.least : amount());
  } else {
    move(here("/answer"), { seen: state.moves, value: Number(action) });
  }
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.target.id === "amount" && event.key === "Enter") press("play");
  if (typing || !state) return;
  const off = event.target.closest?.("#actions [aria-disabled=true]"); // where the focus was left when the round ended
  const onButton = event.target.closest?.("button, summary, a, input") && !(off && betting());
  const keyed = state.actions.find(({ key }) => key === event.key);
  if ((event.key === "Enter" || event.key === " ") && !onButton) {
    event.preventDefault();
    press("play");
  } else if (keyed) press(String(keyed.action));
  else if (/^[1-5]$/.test(event.key)) addChip([...CHIPS].reverse()[event.key - 1]);
  else if (event.key === "c") clearBet();
  else if (event.key === "o" && betting() && state.pending.sit_out) placeBet(0);
});

// Around the game

async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

async function copyAll() {
  const answer = await fetch(here("/history"));
  copy(await answer.text(), byId("copy-all"));
}

async function begin(setup) {
  const came = await ask("/api/tables", setup);
  clearTimeout(timer);
  table = came.table;
  bets = {};
  history.pushState(null, "", `/t/${table}`);
  kept.set("last", table);
  document.body.classList.remove("over");
  show(came);
}

function offerAgain() {
  document.body.classList.add("over");
  byId("hint").replaceChildren(make("button", { type: "button", className: "primary", id: "again" }, "Play again"));
  byId("again").addEventListener("click", async () => {
    try {
      await begin(state.setup);
    } catch (error) {
      byId("prompt").textContent = error.message; // the button stays
    }
  });
}

function leave() {
  if (kept.get("last") === table) kept.set("last", "");
  table = "";
  history.replaceState(null, "", "/");
  open(null);
}

async function start() {
  CHIPS.toReversed().forEach((value, at) => {
    const chip = make("button", { type: "button", className: `chip c${value}`, "aria-label": `Add a chip of ${value}` }, String(value));
    chip.setAttribute("aria-keyshortcuts", String(at + 1));
    chip.title = `${value} (key ${at + 1})`;
    chip.addEventListener("click", () => addChip(value));
    byId("chips").append(chip);
  });
  byId("amount").addEventListener("input", () => { fresh = false; checkBet(); });
  byId("clear").addEventListener("click", clearBet);
  byId("sit-out").addEventListener("click", () => { if (betting()) placeBet(0); });
  byId("new-button").addEventListener("click", () => open(state?.setup ?? null, { playing: Boolean(state) }));
  byId("rules-button").addEventListener("click", () => byId("rules").showModal());
  byId("copy-all").addEventListener("click", copyAll);
  byId("setup").addEventListener("cancel", (event) => { if (!state) event.preventDefault(); });
  for (const what of SHOWN) {
    const box = byId(`show-${what}`);
    box.checked = (kept.get(what) ?? String(box.checked)) === "true";
    box.addEventListener("change", () => {
      kept.set(what, box.checked);
      if (state) show(state);
    });
  }
  byId("pace").value = kept.get("pace") ?? "800";
  byId("pace").addEventListener("change", () => { kept.set("pace", pace()); if (state) show(state); });
  if (matchMedia("(max-width: 760px)").matches) for (const part of document.querySelectorAll("aside details")) part.open = false;
  window.addEventListener("popstate", () => location.reload());
  document.addEventListener("visibilitychange", () => { if (!document.hidden && state) look(); });
  prepare(await ask("/api/menu"), ask, begin);
  if (table) await look();
  else open(null, { last: kept.get("last") });
}

start();
