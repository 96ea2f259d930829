/** Numbers as charts and fields show them, in few characters. */

/** A value at the cursor: three significant digits. @param {number|null|undefined} value */
export function reading(value, percent = false) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (percent) return `${minus((100 * value).toFixed(Math.abs(value) < 0.1 ? 1 : 0))}%`;
  const size = Math.abs(value);
  if (size >= 1e6 || (size !== 0 && size < 1e-3)) return minus(value.toExponential(1).replace("+", ""));
  return minus(size >= 1000 ? Math.round(value).toLocaleString("en") : trimmed(value.toPrecision(3)));
}

/** A number as somebody would type it. @param {number} value */
export function typed(value) {
  return String(Number(value.toPrecision(9)));
}

/** A true minus sign. @param {string} text */
export function minus(text) {
  return text.replace(/^-/, "−");
}

function trimmed(text) {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}
