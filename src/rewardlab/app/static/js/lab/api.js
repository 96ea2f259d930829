/** The lab's own addresses, asked in the name of this visitor. */

import { request } from "../core/data.js";
import { keep, kept } from "../core/keep.js";
import { randomName } from "../core/names.js";

const PATIENCE_MS = 30_000;

/** This visitor's name: random, made once, kept by the browser. */
function visitor() {
  const known = kept("visitor");
  if (known && /^[0-9a-f]{32}$/.test(known)) return known;
  const made = randomName();
  keep("visitor", made);
  return made;
}

/** What every request of the lab carries. */
export function headers() {
  return { "X-Visitor": visitor() };
}

/**
 * @param {string} name Such as "run".
 * @param {any} [body] Posted as JSON; without one the address is only read.
 * @param {number} [patience] In milliseconds.
 * @returns {Promise<any>}
 */
export function ask(name, body, patience = PATIENCE_MS) {
  return request(`/api/lab/${name}`, { body, headers: headers(), signal: AbortSignal.timeout(patience) });
}
