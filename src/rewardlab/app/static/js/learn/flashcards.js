/** Flashcards: turn, then say whether it was known; the boxes remember. */

import { boot, request } from "../core/data.js";
import { byId, h, ready, say } from "../core/dom.js";
import { shortcut } from "../core/keys.js";
import { WAITS, due, moved, places, put, today } from "./boxes.js";

/** @type {{name: string, fronts: string[], deck: string}[]} */
const cards = boot();
const box = byId("deck");
const day = today();
let queue = due(cards, places(), day);
let variant = 0;
/** @type {Promise<{back: string, function: string}>|undefined} */
let coming;

const deck = h("p", { class: "eyebrow" });
const left = h("p", { class: "small quiet left" });
const front = h("h2", { class: "front" });
const back = h("p", { class: "back", tabindex: -1 });
const origin = h("p", { class: "small quiet origin" });
const turn = button("Show the answer", "Space", turnOver, "primary");
const again = button("Again", "1", () => rate(false));
const good = button("I knew it", "2", () => rate(true));
const done = h("div", { class: "finished" });
const face = h("div", { class: "panel face" }, h("div", { class: "head" }, deck, left), front, back, origin,
  h("div", { class: "foot" }, turn, again, good));
const stack = h("ol", { class: "boxes", "aria-label": "Cards in each box" },
  ...WAITS.slice(1).map((wait, k) => h("li", {}, h("b", {}, "0"), h("span", {}, `box ${k + 1}: ${wait} ${wait === 1 ? "day" : "days"}`))));
box.append(face, done, stack);

function button(text, key, click, kind = "") {
  return h("button", { type: "button", class: kind, on: { click } }, text, h("kbd", { "aria-hidden": "true" }, key));
}

function show() {
  const kept = places();
  [...stack.children].forEach((row, k) => say(row.firstChild, String(cards.filter((c) => kept[c.name]?.box === k + 1).length)));
  const card = queue[0];
  face.hidden = !card;
  if (!card) return finish(kept);
  done.replaceChildren();
  variant = (kept[card.name]?.seen || 0) % card.fronts.length;
  say(deck, card.deck);
  say(left, `${queue.length} to go`);
  say(front, card.fronts[variant]);
  say(back, "");
  say(origin, "");
  turn.hidden = false;
  again.hidden = good.hidden = true;
  coming = request(`/api/learn/cards/${card.name}/${variant}`);
  coming.catch(() => {});
}

async function turnOver() {
  if (!queue[0] || turn.hidden) return;
  const card = queue[0];
  try {
    const said = await (coming ||= request(`/api/learn/cards/${card.name}/${variant}`));
    if (queue[0] !== card) return;
    say(back, said.back);
    if (said.function) origin.replaceChildren("computed by ", h("code", {}, said.function));
    turn.hidden = true;
    again.hidden = good.hidden = false;
    back.focus({ preventScroll: true });
  } catch (error) {
    coming = undefined;
    say(back, error.message);
  }
}

function rate(known) {
  const card = queue.shift();
  if (!card) return;
  put(card.name, moved(places()[card.name], known, day));
  if (!known) queue.push(card);
  show();
  if (queue.length) turn.focus({ preventScroll: true });
}

function finish(kept) {
  const fresh = cards.filter((card) => !kept[card.name]).length;
  const next = Math.min(...cards.filter((card) => kept[card.name]).map((card) => kept[card.name].due));
  const title = h("h2", { tabindex: -1 }, "Done for now");
  const when = Number.isFinite(next) ? `The next card is due ${next - day === 1 ? "tomorrow" : `in ${next - day} days`}.` : "";
  const more = fresh && h("button", { type: "button", class: "primary", on: { click: () => start(due(cards, places(), day)) } },
    `Go on with ${Math.min(fresh, 20)} new cards`);
  const all = h("button", { type: "button", on: { click: () => start([...cards]) } }, "Go through all again");
  done.replaceChildren(title, h("p", {}, when), h("div", { class: "foot" }, more, all));
  title.focus();
}

function start(chosen) {
  queue = chosen;
  show();
  turn.focus();
}

document.addEventListener("keydown", (event) => {
  const key = shortcut(event);
  if (face.hidden || !key) return;
  const onControl = /** @type {Element} */ (event.target).closest("button, a, summary");
  if ((key === " " || key === "Enter") && !onControl && !turn.hidden) {
    event.preventDefault();
    turnOver();
  } else if (key === "1" && !again.hidden) {
    rate(false);
  } else if (key === "2" && !good.hidden) {
    rate(true);
  }
});

show();
ready();
