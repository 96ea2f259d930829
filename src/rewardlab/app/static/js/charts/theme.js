/** Colours of charts, taken from the page's styles, light or dark. */

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The value of a custom property of the page, such as "--proxy". @param {string} name */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
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
