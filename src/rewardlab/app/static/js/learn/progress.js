/** Which questions a visitor has answered, kept in this browser. */

import { forget as forgetKept, keep, kept } from "../core/keep.js";

const NAME = "answered";

/** Identifiers such as "leash/0". @returns {Set<string>} */
export function answered() {
  try {
    const all = JSON.parse(kept(NAME) || "[]");
    return new Set(Array.isArray(all) ? all.filter((one) => typeof one === "string") : []);
  } catch {
    return new Set();
  }
}

/** Remember an answered question. @param {string} id */
export function remember(id) {
  keep(NAME, JSON.stringify([...answered().add(id)]));
}

/** Forget all of it. */
export function forget() {
  forgetKept(NAME);
}
