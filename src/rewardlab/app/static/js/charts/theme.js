/** Colours of charts, taken from the page's styles, light or dark. */

const dark = matchMedia("(prefers-color-scheme: dark)");

/** @type {Map<string, string>} */
const known = new Map();
dark.addEventListener("change", () => known.clear());

/** The value of a custom property of the page, such as "--proxy"; read once, since reading is slow. */
export function colour(name) {
  let value = known.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    known.set(name, value);
  }
  return value;
}

/**
 * Call back whenever the page turns light or dark.
 * @param {() => void} listener
 * @returns {() => void} Ends it.
 */
export function onTheme(listener) {
  dark.addEventListener("change", listener);
  return () => dark.removeEventListener("change", listener);
}

/** Dashes of a stroke on a canvas. @param {string} stroke */
export function dashes(stroke) {
  return stroke === "dashed" ? [7, 5] : stroke === "dotted" ? [1.5, 5] : [];
}
