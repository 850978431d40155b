// Draws what the server tells. Whatever it tells is shown as text, never as HTML.

export const byId = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && !name.startsWith("aria-")) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const picture = ({ face, name }) => make("img", { src: `/cards/${face || "back"}.svg`, alt: name, className: "card", draggable: false });

let chipSizes = [];
export const useChips = (sizes) => { chipSizes = sizes; };

export const chips = (number) => `${Number(number.toFixed(2))} ${number === 1 ? "chip" : "chips"}`;
const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "±0");
const person = (name) => make("bdi", {}, name);

let shownCards = new Set();
let shownTable = "";

// Draws the whole table; cards that were not there before are dealt, one after the other.
export function drawTable(state, pace) {
  const cards = new Set();
  const round = `${state.table}/${state.rounds}`;
  const first = shownTable !== state.table;
  let fresh = 0;
  const card = (place, shown) => {
    const key = `${round}/${place}/${shown.face}`;
    cards.add(key);
    const image = picture(shown);
    if (!first && !shownCards.has(key) && pace > 0) {
      image.classList.add("dealt");
      image.style.setProperty("--wait", `${Math.min(fresh++ * Math.min(pace, 500) * 0.5, 2500)}ms`);
    }
    return image;
  };
  // Seats before the dealer, so that his last cards fall last.
  const seats = state.seats.map((seat, number) => drawSeat(state, seat, number, card));
  byId("dealer").replaceChildren(...drawDealer(state, card));
  byId("dealer").classList.toggle("turn", state.pending?.seat === -1);
  document.body.classList.toggle("dealing", fresh > 0);
  document.body.style.setProperty("--settled", `${Math.min(fresh * Math.min(pace, 500) * 0.5, 2500)}ms`);
  byId("seats").replaceChildren(...seats);
  byId("seats").dataset.seats = seats.length;
  byId("seats").dataset.hands = state.seats.reduce((sum, seat) => sum + Math.max(1, seat.hands.length), 0);
  [shownCards, shownTable] = [cards, state.table];
  const turn = byId("seats").querySelector(".hand.turn, .seat.turn");
  if (turn && !first) turn.scrollIntoView({ block: "nearest", inline: "nearest" });
  drawAround(state);
}

function drawDealer(state, card) {
  const { dealer } = state;
  const cards = dealer.cards.map((one, at) => card(`dealer/${at}`, one));
  return [
    make("h2", {}, dealer.named ? person(dealer.name) : "Dealer"),
    make("div", { className: "cards" }, ...(cards.length ? cards : [make("span", { className: "place" })])),
    make("p", { className: "value" }, dealer.value || " "),
  ];
}

function drawSeat(state, seat, number, card) {
  const turn = state.pending?.seat === number;
  const you = seat.person && !seat.named;
  const { name } = seat;
  const hands = seat.hands.map((hand, index) => drawHand(hand, index, seat, `${number}`, card, state.pending?.betting));
  const placed = state.pending?.betting && seat.placed !== null ? stack(seat.placed, "bets") : null;
  const article = make("article", { className: "seat", "aria-label": `Seat ${number + 1}: ${name}` });
  article.classList.toggle("turn", turn);
  article.classList.toggle("person", seat.person);
  article.classList.toggle("split", hands.length > 1);
  article.append(
    make("div", { className: "hands" }, ...(hands.length ? hands : [make("div", { className: "hand empty" },
      make("div", { className: "cards" }, make("span", { className: "place" })))])),
    make("div", { className: "placed" }, ...(placed ? [placed] : []), seat.out ? "sits out" : "",
      ...(seat.insurance ? [make("span", { className: "insured" }, `insured for ${seat.insurance}`)] : [])),
    make("div", { className: "plate" },
      make("span", { className: "number" }, `P${number + 1}`),
      make("span", { className: "name", title: name }, you ? name : person(name)),
      make("span", { className: "bankroll" }, chips(seat.bankroll)),
      ...(seat.net === null ? [] : [make("span", { className: `net ${seat.net > 0 ? "up" : seat.net < 0 ? "down" : ""}` },
        signed(seat.net))])),
  );
  return article;
}

function drawHand(hand, index, seat, place, card, betting) {
  const cards = hand.cards.map((one, at) => card(`${place}/${index}/${at}`, one));
  const many = seat.hands.length > 1;
  const label = `${many ? `hand ${index + 1} of ${seat.hands.length}, ` : ""}${hand.value}, stake ${hand.stake}`;
  const element = make("div", { className: "hand", role: "group", "aria-label": label },
    make("div", { className: "cards" }, ...cards),
    make("p", { className: "value" }, hand.value),
    ...(hand.detail ? [make("p", { className: "detail" }, hand.detail)] : []),
    ...(betting && seat.placed !== null ? [] : [stack(hand.stake, "stake")]),
  );
  element.classList.toggle("turn", hand.turn);
  element.classList.toggle("long", cards.length > 4);
  if (hand.outcome) {
    const kind = hand.outcome.toLowerCase();
    element.append(make("p", { className: `outcome ${kind}` }, hand.outcome));
    element.classList.add("settled");
  }
  return element;
}

// A stack of chips that comes to an amount, the largest below.
function stack(amount, what) {
  const pieces = [];
  let left = amount;
  for (const chip of chipSizes) {
    for (; left >= chip && pieces.length < 6; left -= chip) pieces.push(make("i", { className: `c${chip}` }));
  }
  if (left > 0 && pieces.length < 6) pieces.push(make("i", { className: "c1" }));
  const label = amount ? `${what} ${amount}` : "sits out";
  return make("span", { className: "stack", title: label },
    make("span", { className: "pile", "aria-hidden": "true" }, ...(amount ? pieces : [])),
    make("span", { className: "sum" }, amount ? String(amount) : "sits out"));
}

function drawAround(state) {
  byId("house").textContent = state.house;
  byId("motto").textContent = state.felt.join("  ·  ");
  byId("phases").replaceChildren(...state.phases.map((phase) =>
    make("li", phase === state.phase ? { "aria-current": "step" } : {}, phase)));
  byId("rules-text").textContent = state.rules;
  byId("rules-words").replaceChildren(...state.words.map((word) => make("li", {}, word)));
}

// Draws the buttons: the same elements as long as the house is the same, so that the focus stays.
export function drawActions(state, press) {
  const bar = byId("actions");
  const wanted = ["play", ...state.actions.map(({ action }) => String(action))];
  if ([...bar.children].map((button) => button.dataset.action).join() !== wanted.join()) {
    const buttons = state.actions.map(({ action, key }) => actionButton(String(action), key, key, press));
    bar.replaceChildren(actionButton("play", "⏎", "Enter", press), ...buttons);
    bar.dataset.buttons = wanted.length;
  }
  const { pending } = state;
  const bets = Boolean(pending?.person && pending.betting);
  const whyNot = pending ? (pending.betting ? "the others bet first" : "the round is being played") : "the game is over";
  setButton(bar.children[0], "Play", bets ? "" : whyNot);
  state.actions.forEach(({ label, why }, at) => setButton(bar.children[at + 1], label, why));
}

function actionButton(action, sign, key, press) {
  const button = make("button", { type: "button", className: action === "play" ? "primary" : "" },
    make("span"), make("kbd", { "aria-hidden": "true" }, sign));
  button.dataset.action = action;
  button.setAttribute("aria-keyshortcuts", key);
  button.addEventListener("click", () => press(action));
  return button;
}

export function setButton(button, label, why) {
  if (button.firstElementChild.textContent !== label) button.firstElementChild.textContent = label;
  button.setAttribute("aria-disabled", String(Boolean(why)));
  button.title = why;
  if (why) button.setAttribute("aria-description", why);
  else button.removeAttribute("aria-description");
}

let logged = { table: "", round: -1, count: 0, moves: 0 };

// Adds what has happened since; whoever listens to the page hears the new lines alone.
export function drawLog(state) {
  const log = byId("log");
  if (logged.table !== state.table || logged.round !== state.rounds || state.events.length < logged.count) {
    log.replaceChildren();
    logged = { table: state.table, round: state.rounds, count: 0, moves: 0 };
  }
  const lines = state.events.slice(logged.count);
  if (state.trouble && logged.moves !== state.moves) lines.push(state.trouble);
  log.append(...lines.map((line) => make("li", {}, line)));
  [logged.count, logged.moves] = [state.events.length, state.moves];
  byId("log-box").scrollTop = log.scrollHeight;
}

export function drawHistory(state, copy) {
  const lines = [...state.history].reverse();
  byId("history").replaceChildren(...lines.map((line) => {
    const button = make("button", { type: "button", className: "quiet", "aria-label": "Copy this line" }, "Copy");
    button.addEventListener("click", () => copy(line, button));
    return make("li", {}, make("code", {}, line), button);
  }));
}

// The value of each action, the best first; the action that was taken is marked.
export function valueTable({ values, counted, action = null }) {
  const rows = values.map(({ label, value, chips: worth, action: of }, at) => make("tr", at ? {} : { className: "best" },
    make("th", { scope: "row" }, of === action ? `${label} (you)` : label),
    make("td", {}, signedFixed(value)), make("td", {}, signedFixed(worth, 2))));
  return make("table", {}, make("caption", {}, `Expected value of each action${counted ? "" : ", from a full shoe"}`),
    make("thead", {}, make("tr", {}, make("td"), make("th", { scope: "col" }, "bets"), make("th", { scope: "col" }, "chips"))),
    make("tbody", {}, ...rows));
}

export function drawCoach(said, shown) {
  const parts = [];
  if (said?.note) parts.push(make("p", { className: "fine" }, said.note));
  if (said?.values && shown.values) {
    parts.push(valueTable(said));
  }
  if (said?.policies && shown.policies) {
    parts.push(make("dl", {}, ...said.policies.flatMap(({ name, answer }) =>
      [make("dt", {}, person(name)), make("dd", {}, answer)])));
  }
  if (said && shown.count && "count" in said) {
    parts.push(make("p", { className: "count" }, said.count
      ? `Hi-lo: running ${signed(said.count.running)}, true ${signed(said.count.true)}${said.count.lasts ? "" : " (until the shuffle before the next round)"}`
      : "An endless shoe has no count."));
  }
  if (!parts.length) parts.push(make("p", { className: "fine" }, shown.hint));
  byId("coach-said").replaceChildren(...parts);
}

const signedFixed = (number, digits = 4) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(digits)}`;

const GRADES = { best: "the best", near: "a near-tie", mistake: "a mistake" };
const percent = (share) => `${Math.round(100 * share)} %`;

// What a decision was worth, what would have been better, and why.
export function reviewParts(review, full) {
  const { label, cell, grade, best, chips: price, bust, dealer } = review;
  const verdict = make("p", {}, make("strong", { className: grade }, `${label} on ${cell}: ${GRADES[grade]}`),
    grade === "best" ? "." : ` (${best} is better by ${review.cost.toFixed(3)} bets, ${chips(price)}).`);
  if (!full) return [verdict];
  const results = Object.entries(dealer).filter(([, share]) => share > 0)
    .map(([result, share]) => `${result} ${percent(share)}`).join(", ");
  return [verdict, valueTable(review), make("p", { className: "fine why" },
    `Another card busts the hand in ${percent(bust)} of cases. The dealer ends with: ${results}.`)];
}

export function drawReview({ last }, shown) {
  const parts = last && shown.grades ? reviewParts(last, shown.values) : [];
  byId("review").replaceChildren(...parts);
}

export function drawGrades({ graded }, show) {
  const place = byId("graded");
  place.hidden = !show;
  place.textContent =
    `Best ${graded.best} · close ${graded.near} · mistakes ${graded.mistake} (cost ${chips(graded.lost)})`;
}
