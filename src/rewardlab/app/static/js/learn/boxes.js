/** Leitner boxes of flashcards, kept in this browser: a card that is known moves up and waits longer. */

import { keep, kept } from "../core/keep.js";

const NAME = "cards";
const DAY_MS = 86_400_000;
const NEW_AT_ONCE = 20;

/** Days until a card in each box comes back; box 1 is for cards just missed. */
export const WAITS = [0, 1, 2, 4, 8, 16];

/** @typedef {{box: number, due: number, seen: number}} Place */

/** The day's number since 1970, in local time. */
export function today() {
  const now = new Date();
  return Math.floor((now.getTime() - now.getTimezoneOffset() * 60_000) / DAY_MS);
}

/** All that is kept, by card. @returns {Record<string, Place>} */
export function places() {
  try {
    const all = JSON.parse(kept(NAME) || "{}");
    return all && typeof all === "object" && !Array.isArray(all) ? all : {};
  } catch {
    return {};
  }
}

/**
 * Where a card goes.
 * @param {Place|undefined} place
 * @param {boolean} known
 * @param {number} day
 * @returns {Place}
 */
export function moved(place, known, day) {
  const box = known ? Math.min((place ? place.box : 0) + 1, WAITS.length - 1) : 1;
  return { box, due: known ? day + WAITS[box] : day, seen: (place ? place.seen : 0) + 1 };
}

/** Keep a card's new place. @param {string} name @param {Place} place */
export function put(name, place) {
  keep(NAME, JSON.stringify({ ...places(), [name]: place }));
}

/**
 * The cards to go through now: those due, then new ones, at most 20 of these at once.
 * @template {{name: string}} Card
 * @param {Card[]} cards
 * @param {Record<string, Place>} held
 * @param {number} day
 * @returns {Card[]}
 */
export function due(cards, held, day) {
  const known = cards.filter((card) => held[card.name] && held[card.name].due <= day);
  return [...known, ...cards.filter((card) => !held[card.name]).slice(0, NEW_AT_ONCE)];
}
