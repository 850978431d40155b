// The dialog in which a house, the seats and the money are chosen.

import { byId, make } from "./draw.js";

const OWN = "own";
const PERSON = "you";
let menu = null;
let send = null;
let requests = 0;
let seated = false; // whether somebody has been seated by hand: then another house leaves the seats as they are

// Prepares the dialog: `ask` posts and returns what came, `begin` takes the setup that was chosen.
export function prepare(offered, ask, begin) {
  [menu, send] = [offered, ask];
  const house = byId("setup-house");
  house.replaceChildren(...menu.houses.map(({ name }) => make("option", { value: name }, name)),
    make("option", { value: OWN }, "own rules …"));
  house.addEventListener("change", () => chooseHouse());
  byId("setup-rules").addEventListener("input", readRules);
  byId("setup-dealer").addEventListener("change", showDealerName);
  byId("add-seat").addEventListener("click", () => { addSeat(PERSON); numberSeats(); seated = true; });
  byId("setup-seats").addEventListener("input", () => { seated = true; });
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
  byId("own").hidden = name !== OWN;
  const house = menu.houses.find((one) => one.name === name);
  if (house) showWords(house);
  else readRules();
  if (seated && !setup) return;
  byId("setup-seats").replaceChildren();
  (setup?.seats ?? house?.seats ?? [PERSON]).forEach(addSeat);
  numberSeats();
  const dealer = setup?.dealer ?? "house";
  byId("setup-dealer").value = dealer === "house" ? "house" : PERSON;
  byId("setup-dealer-name").value = dealer.startsWith("you:") ? dealer.slice(4) : "";
  showDealerName();
}

function showDealerName() {
  byId("dealer-named").hidden = byId("setup-dealer").value !== PERSON;
}

function showWords(house) {
  const stake = house.stake ? [make("li", {}, `Every bet is ${house.stake} chips.`)] : [];
  const words = house.stake ? house.words.filter((word) => !word.startsWith("Bets from")) : house.words;
  byId("setup-words").replaceChildren(make("li", {}, make("code", {}, house.rules)), ...words.map((word) =>
    make("li", {}, word)), ...stake);
}

async function readRules() {
  const number = ++requests;
  try {
    const house = await send("/api/rules", { rules: byId("setup-rules").value });
    if (number === requests) showWords(house);
    byId("setup-error").textContent = "";
  } catch (error) {
    if (number === requests) byId("setup-error").textContent = error.message;
  }
}

function addSeat(who) {
  const seats = byId("setup-seats");
  if (seats.children.length >= menu.seats) return;
  const person = who === PERSON || who.startsWith("you:");
  const choice = make("select", { "aria-label": "Who sits here" },
    make("option", { value: PERSON }, "a person"), ...menu.strategies.map((name) => make("option", { value: name }, name)));
  if (!person && !menu.strategies.includes(who)) choice.append(make("option", { value: who }, who));
  choice.value = person ? PERSON : who;
  const name = make("input", { maxLength: 40, placeholder: "name", value: person ? who.slice(4) : "", size: 10 });
  name.setAttribute("aria-label", "Name of this person");
  name.hidden = !person;
  choice.addEventListener("change", () => { name.hidden = choice.value !== PERSON; });
  const leave = make("button", { type: "button", className: "quiet", "aria-label": "Take this seat away" }, "✕");
  const row = make("li", {}, choice, name, leave);
  leave.addEventListener("click", () => { row.remove(); numberSeats(); seated = true; byId("add-seat").focus(); });
  seats.append(row);
}

function numberSeats() {
  const rows = [...byId("setup-seats").children];
  rows.forEach((row) => { row.lastElementChild.hidden = rows.length === 1; });
  byId("add-seat").hidden = rows.length >= menu.seats;
}

function chosen() {
  const named = (who, name) => (who === PERSON && name.trim() ? `${PERSON}:${name.trim()}` : who);
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
