// The page of one table: sends what is clicked, and shows what the server answers. No rule of the game stands here.

import {
  byId, drawActions, drawCoach, drawGrades, drawHistory, drawLog, drawReview, drawTable, make, setButton, useChips,
} from "./draw.js";
import { drawCountForm } from "./counting.js";
import { prepareDrills } from "./drills.js";
import { drawChart, drawCurve, drawPractice } from "./practice.js";
import { ask, newestOnly } from "./requests.js";
import { open, prepare } from "./setup.js";

const AGAIN = 2000; // milliseconds until a strategy that got no answer through is asked again
const SHOWN = ["values", "policies", "count", "grades"];
const BOXES = [...SHOWN, "early", "ask"];
const kept = {
  get: (name) => { try { return localStorage.getItem(`table.${name}`); } catch { return null; } },
  set: (name, value) => { try { localStorage.setItem(`table.${name}`, value); } catch { /* a private window keeps nothing */ } },
};

let table = decodeURIComponent(location.pathname.match(/^\/t\/([^/]+)$/)?.[1] ?? "");
let menu = null;
let state = null;
let said = null;
let busy = false;
let asked = 0; // when the decision was shown, for the time it takes
let timer = 0;
let bets = {}; // the last bet of each seat, which stands until it is changed

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
    else look(); // a new table was opened meanwhile
  } catch (error) {
    busy = false;
    byId("hint").textContent = error.message;
    if (error.status === 404) leave();
    else if (state?.pending && !state.pending.person) timer = setTimeout(step, AGAIN); // nobody here could press anything
  }
}

const look = () => move(here());

function show({ stale = "", ...came }) {
  const before = state;
  const silent = !state || !mine(state) || came.moves === state.moves;
  state = { ...came, table };
  if (before?.moves !== state.moves || before?.table !== table) asked = performance.now();
  sound(before);
  byId("hint").textContent = silent ? "" : stale && `${stale[0].toUpperCase()}${stale.slice(1)}.`;
  drawTable(state, pace());
  byId("prompt").textContent = state.prompt;
  document.body.classList.toggle("mine", Boolean(state.pending?.person));
  document.body.dataset.moves = state.moves;
  drawBet();
  drawCountForm(here("/count"), state, showing("ask"));
  drawActions(state, press);
  byId("undo").hidden = !state.can_undo;
  checkBet();
  drawLog(state);
  drawHistory(state, copy);
  byId("history-note").hidden = !state.dealer.person;
  drawGrades(state, showing("grades"));
  drawReview(state, shown());
  if (said?.position !== position()) said = null;
  drawCoach(said, shownNow());
  drawPanels();
  watch();
  guide();
  if (state.pending && !state.pending.person) timer = setTimeout(step, state.pending.betting ? Math.min(pace(), 400) : pace());
  else if (state.pending) listen();
  if (!state.pending) offerAgain();
}

const mine = ({ pending }) => Boolean(pending?.person);

const undo = () => { if (state?.can_undo) move(here("/undo"), { seen: state.moves }); };
const step = () => move(here("/step"), { seen: state.moves });

const showing = (what) => byId(`show-${what}`).checked;
const shown = () => Object.fromEntries(SHOWN.map((what) => [what, showing(what)]));

// What of the coach may be seen now: in practice, values and strategies only after the decision.
function shownNow() {
  const early = showing("early");
  const wanted = shown();
  const hint = early || !(wanted.values || wanted.policies) ? "The coach speaks when it is your turn."
    : "Decide first: the coach speaks afterwards.";
  return { ...wanted, values: wanted.values && early, policies: wanted.policies && (early || Boolean(state?.pending?.betting)), hint };
}

// Which state of which table is shown: an answer about another one is too late.
const position = () => `${table}/${state.moves}`;

// Asks the coach, if anything of what it says is wanted.
async function listen() {
  const wanted = state.pending.betting ? showing("count") || showing("policies") : SHOWN.some(showing);
  const about = position();
  if (!wanted || said?.position === about) return;
  try {
    const came = await ask(here("/coach"));
    if (about !== position()) return;
    said = { ...came, position: about };
    drawCoach(said, shownNow());
  } catch (error) {
    if (about === position()) drawCoach({ note: error.message }, shownNow());
  }
}

// The panels that are open, drawn from what the server tells.
function drawPanels() {
  const { rules, pending, seats } = state;
  const person = seats.some((seat) => seat.person);
  const jobs = [];
  if (byId("chart-panel").open) jobs.push(drawChart(rules, pending?.cell));
  if (byId("practice-panel").open) jobs.push(drawPractice(personName(), openDrill));
  if (byId("curve-panel").open && person && (!pending || pending.betting)) jobs.push(drawCurve(here("/curve")));
  const about = position();
  for (const job of jobs) job.catch((error) => { if (about === position()) byId("hint").textContent = error.message; });
}

const personName = () => state?.pending?.person_name ?? menu.person;

// Moves of other pages at this table come as server-sent events.

let source = null;
let watched = "";
let newest = 0;

function watch() {
  if (newest > state.moves && watched === table && !busy) setTimeout(look);
  if (watched === table && source?.readyState !== EventSource.CLOSED) return;
  stopWatching();
  if (document.hidden) return;
  [watched, newest] = [table, 0];
  source = new EventSource(here("/changes"));
  source.onmessage = ({ data }) => {
    newest = Number(data);
    if (state && watched === table && newest > state.moves && !busy) look();
  };
}

function stopWatching() {
  source?.close();
  [source, watched] = [null, ""];
}

// A guided first hand: each step says what there is to decide.

let touring = false;

async function guide() {
  byId("tour").hidden = !touring;
  if (!touring || !state.pending?.person) return;
  const about = position();
  const { now, last } = await ask(here("/explain"));
  if (about !== position()) return;
  const over = state.pending.betting && state.rounds > 0;
  const lines = over ? [...last, "That was a whole round. Play on: the coach reviews every decision."] : now;
  byId("tour").replaceChildren(make("strong", {}, over ? "The result" : state.pending.betting ? "First, bet" : "Now decide"),
    ...lines.map((line) => make("p", {}, line)), endTour(over));
}

function endTour(over) {
  const button = make("button", { type: "button", className: "quiet" }, over ? "End the tour" : "Skip the tour");
  button.addEventListener("click", () => { touring = false; byId("tour").hidden = true; });
  return button;
}

const newestHelp = newestOnly();

async function help() {
  byId("help").showModal();
  byId("help-now").replaceChildren();
  if (!state) return;
  const { now } = await newestHelp(ask(here("/explain")));
  if (now.length) byId("help-now").replaceChildren(make("h2", {}, "Your decision now"), ...now.map((line) => make("p", {}, line)));
}

// Sound, off by default: a short tone for a move, a higher one for a win.

let audio = null;

function sound(before) {
  if (!byId("sound").checked || !before || before.table !== table || before.moves === state.moves) return;
  const won = state.seats.some((seat) => seat.person && seat.net > 0) && !before.seats.some((seat) => seat.net !== null);
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = won ? 880 : 330;
  volume.gain.setValueAtTime(0.08, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.15);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.15);
}

let openDrill = () => {};

// Bets

const fixed = () => state.stake.fixed;
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
    const seconds = Math.min((performance.now() - asked) / 1000, 86_400);
    move(here("/answer"), { seen: state.moves, value: Number(action), seconds: Number(seconds.toFixed(2)) });
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
  else if (/^[1-5]$/.test(event.key)) addChip(menu.chips.at(-event.key));
  else if (event.key === "?") help();
  else if (event.key === "z") undo();
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

const newestTable = newestOnly();

async function begin(setup) {
  const came = await newestTable(ask("/api/tables", setup));
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
  stopWatching();
  if (kept.get("last") === table) kept.set("last", "");
  table = "";
  history.replaceState(null, "", "/");
  open(null);
}

async function start() {
  menu = await ask("/api/menu");
  useChips(menu.chips);
  menu.chips.toReversed().forEach((value, at) => {
    const chip = make("button", { type: "button", className: `chip c${value}`, "aria-label": `Add a chip of ${value}` }, String(value));
    chip.setAttribute("aria-keyshortcuts", String(at + 1));
    chip.title = `${value} (key ${at + 1})`;
    chip.addEventListener("click", () => addChip(value));
    byId("chips").append(chip);
  });
  byId("amount").addEventListener("input", () => { fresh = false; checkBet(); });
  byId("undo").addEventListener("click", undo);
  byId("clear").addEventListener("click", clearBet);
  byId("sit-out").addEventListener("click", () => { if (betting()) placeBet(0); });
  byId("new-button").addEventListener("click", () => open(state?.setup ?? null, { playing: Boolean(state) }));
  byId("rules-button").addEventListener("click", () => byId("rules").showModal());
  byId("copy-all").addEventListener("click", copyAll);
  byId("setup").addEventListener("cancel", (event) => { if (!state) event.preventDefault(); });
  byId("help-button").addEventListener("click", help);
  for (const panel of ["chart-panel", "practice-panel", "curve-panel"]) {
    byId(panel).addEventListener("toggle", () => { if (state) drawPanels(); });
  }
  byId("sound").checked = kept.get("sound") === "true";
  byId("sound").addEventListener("change", () => kept.set("sound", byId("sound").checked));
  for (const what of BOXES) {
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
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stopWatching();
    else if (state) look();
  });
  openDrill = prepareDrills(menu, () => ({ house: state?.rules ?? menu.house, person: personName() }));
  byId("drill-button").addEventListener("click", () => openDrill());
  prepare(menu, begin, () => { touring = true; guide(); });
  byId("action-keys").replaceChildren(...menu.keys.flatMap(({ key, label }) => [make("kbd", {}, key), ` ${label.toLowerCase()}, `]));
  if (table) await look();
  else open(null, { last: kept.get("last") });
}

start();
