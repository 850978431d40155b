// The dialog in which a house, the seats and the money are chosen.

import { byId, make } from "./draw.js";
import { ask, newestOnly } from "./requests.js";

const OWN = "own";
let menu = null;
const newestRules = newestOnly();
let seated = false; // whether somebody has been seated by hand: then another house leaves the seats as they are

// Prepares the dialog: `begin` takes the setup that was chosen.
export function prepare(offered, begin, tour) {
  menu = offered;
  const guided = async (setup) => {
    try {
      await begin(setup);
      tour();
      byId("setup").close();
      byId("actions").firstElementChild.focus();
    } catch (error) {
      byId("setup-error").textContent = error.message;
    }
  };
  const house = byId("setup-house");
  const groups = [...new Set(menu.houses.map(({ group }) => group))];
  house.replaceChildren(...groups.map((group) => make("optgroup", { label: group },
    ...menu.houses.filter((one) => one.group === group).map(({ name, title }) => make("option", { value: name }, title)))),
    make("option", { value: OWN }, "Own rules …"));
  byId("switches").append(...menu.switches.map(drawSwitch));
  house.addEventListener("change", () => chooseHouse());
  byId("setup-dealer").replaceChildren(make("option", { value: menu.dealer }, "the house"),
    make("option", { value: menu.person }, "a person"));
  byId("setup-notice").textContent = menu.notice;
  byId("setup-notice").hidden = !menu.notice;
  byId("setup-rules").addEventListener("input", readRules);
  byId("setup-dealer").addEventListener("change", showDealerName);
  byId("add-seat").addEventListener("click", () => { addSeat({ who: menu.person, name: "" }); numberSeats(); seated = true; });
  byId("setup-seats").addEventListener("input", () => { seated = true; });
  byId("tour-button").addEventListener("click", () => guided({ house: menu.house, seats: [{ who: menu.person, name: "" }],
    dealer: { who: menu.dealer, name: "" }, bankroll: menu.bankroll }));
  byId("setup-cancel").addEventListener("click", () => byId("setup").close());
  byId("setup").querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await begin(chosen());
      byId("setup").close(); // which gives the focus back to the button that opened it, where Enter would open it again
      byId("actions").firstElementChild.focus();
    } catch (error) {
      byId("setup-error").textContent = error.message;
    }
  });
}

// Opens the dialog, filled with a setup or with what the server puts first.
export function open(setup, { last = "", playing = false } = {}) {
  const named = menu.houses.some(({ name }) => name === (setup?.house ?? menu.house));
  byId("setup-house").value = named ? (setup?.house ?? menu.house) : OWN;
  if (!named) byId("setup-rules").value = setup?.house ?? menu.house;
  byId("setup-bankroll").value = setup?.bankroll ?? menu.bankroll;
  byId("setup-error").textContent = "";
  byId("setup-cancel").hidden = !playing;
  byId("resume").hidden = !last || playing;
  byId("resume").firstElementChild.href = `/t/${last}`;
  seated = false;
  chooseHouse(setup);
  if (!byId("setup").open) byId("setup").showModal();
  byId("setup-house").focus();
}

function chooseHouse(setup = null) {
  const name = byId("setup-house").value;
  byId("own").hidden = byId("switches").hidden = name !== OWN;
  const house = menu.houses.find((one) => one.name === name);
  newestRules(); // what is on its way belongs to the house before
  if (house) showWords(house);
  else readRules();
  if (seated && !setup) return;
  byId("setup-seats").replaceChildren();
  (setup?.seats ?? house?.seats ?? [{ who: menu.person, name: "" }]).forEach(addSeat);
  numberSeats();
  const dealer = setup?.dealer ?? { who: menu.dealer, name: "" };
  byId("setup-dealer").value = dealer.who;
  byId("setup-dealer-name").value = dealer.name;
  showDealerName();
}

function showDealerName() {
  byId("dealer-named").hidden = byId("setup-dealer").value !== menu.person;
}

function showWords(house) {
  byId("setup-words").replaceChildren(make("li", {}, make("code", {}, house.rules)), ...house.words.map((word) =>
    make("li", {}, word)));
}

// A rule as a choice; choosing writes the rule text anew from all choices.
function drawSwitch({ title, options }) {
  const choice = make("select", {}, ...options.map(({ token, title: name }) => make("option", { value: token }, name)));
  choice.addEventListener("change", () => {
    const tokens = [...byId("switches").querySelectorAll("select")].map((select) => select.value).filter(Boolean);
    byId("setup-rules").value = [...tokens, ...extra].join(" ");
    readRules();
  });
  return make("label", {}, `${title} `, choice);
}

let extra = []; // tokens of the rule text that no switch shows

function showSwitches(house) {
  const selects = [...byId("switches").querySelectorAll("select")];
  selects.forEach((select, at) => { select.value = house.switches[at] ?? ""; });
  const known = new Set(menu.switches.flatMap(({ options }) => options.map(({ token }) => token)));
  extra = byId("setup-rules").value.toUpperCase().split(/\s+/).filter((token) => token && !known.has(token));
}

async function readRules() {
  try {
    const house = await newestRules(ask("/api/rules", { rules: byId("setup-rules").value }));
    showWords(house);
    showSwitches(house);
    byId("setup-error").textContent = "";
  } catch (error) {
    byId("setup-error").textContent = error.message;
  }
}

function addSeat({ who, name: called }) {
  const seats = byId("setup-seats");
  if (seats.children.length >= menu.most_seats) return;
  const person = who === menu.person;
  const choice = make("select", { "aria-label": "Who sits here" },
    make("option", { value: menu.person }, "You / another person"), ...menu.strategies.map(({ name, line }) => make("option", { value: name }, line ? `${name}: ${line}` : name)));
  if (!person && !menu.strategies.some(({ name }) => name === who)) choice.append(make("option", { value: who }, who));
  choice.value = who;
  const name = make("input", { maxLength: menu.most_letters, placeholder: "name", value: called, size: 10 });
  name.setAttribute("aria-label", "Name of this person");
  name.hidden = !person;
  choice.addEventListener("change", () => { name.hidden = choice.value !== menu.person; });
  const leave = make("button", { type: "button", className: "quiet", "aria-label": "Take this seat away" }, "✕");
  const row = make("li", {}, choice, name, leave);
  leave.addEventListener("click", () => { row.remove(); numberSeats(); seated = true; byId("add-seat").focus(); });
  seats.append(row);
}

function numberSeats() {
  const rows = [...byId("setup-seats").children];
  rows.forEach((row) => { row.lastElementChild.hidden = rows.length === 1; });
  byId("add-seat").hidden = rows.length >= menu.most_seats;
}

function chosen() {
  const named = (who, name) => ({ who, name: who === menu.person ? name.trim() : "" });
  const house = byId("setup-house").value;
  const bankroll = byId("setup-bankroll").value.trim();
  if (!/^\d+$/.test(bankroll)) throw new Error("chips: expected a whole number");
  return {
    house: house === OWN ? byId("setup-rules").value : house,
    seats: [...byId("setup-seats").children].map((row) => named(row.children[0].value, row.children[1].value)),
    dealer: named(byId("setup-dealer").value, byId("setup-dealer-name").value),
    bankroll: Number(bankroll),
  };
}
