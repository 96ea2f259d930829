/** Which questions a visitor has answered, kept in this browser. */

const KEY = "rewardlab.answered";

/** Identifiers such as "leash/0". @returns {Set<string>} */
export function answered() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || "[]");
    return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : []);
  } catch {
    return new Set();
  }
}

/** Remember an answered question. @param {string} id */
export function remember(id) {
  const all = answered().add(id);
  try {
    localStorage.setItem(KEY, JSON.stringify([...all]));
  } catch {
    // A browser that keeps nothing still shows the lesson.
  }
}

/** Forget all of it. */
export function forget() {
  localStorage.removeItem(KEY);
}
