/** What the browser keeps for this visitor; in memory only where it may keep nothing. */

const PREFIX = "rewardlab.";
const spare = new Map();

/** @param {string} name @returns {string|null} */
export function kept(name) {
  if (spare.has(name)) return spare.get(name);
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} text */
export function keep(name, text) {
  try {
    localStorage.setItem(PREFIX + name, text);
    spare.delete(name);
  } catch {
    // It may keep nothing, or is full.
    spare.set(name, text);
  }
}

/** @param {string} name */
export function forget(name) {
  spare.delete(name);
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // It was kept in memory alone.
  }
}

/** Names under which something is kept, in order. @param {string} start */
export function namesKept(start) {
  const names = new Set([...spare.keys()].filter((name) => name.startsWith(start)));
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(PREFIX + start)) names.add(name.slice(PREFIX.length));
    }
  } catch {
    // What is kept in memory is all there is.
  }
  return [...names].sort();
}
