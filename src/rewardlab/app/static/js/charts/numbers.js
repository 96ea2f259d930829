/** Numbers of axes and legends, in few characters. */

/** @param {number} value @param {boolean} [percent] */
export function tick(value, percent = false) {
  if (percent) return `${trimmed((100 * value).toPrecision(4))}%`;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(0).replace("+", "");
  return minus(trimmed(value.toPrecision(6)));
}

/** A value at the cursor: three significant digits. @param {number|null} value */
export function reading(value, percent = false) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (percent) return `${(100 * value).toFixed(Math.abs(value) < 0.1 ? 1 : 0)}%`;
  const size = Math.abs(value);
  if (size >= 1e6 || (size !== 0 && size < 1e-3)) return minus(value.toExponential(1).replace("+", ""));
  return minus(size >= 1000 ? value.toFixed(0) : trimmed(value.toPrecision(3)));
}

function trimmed(text) {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

function minus(text) {
  return text.replace(/^-/, "−");
}
