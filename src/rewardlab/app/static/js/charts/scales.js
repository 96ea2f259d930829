/** Ranges and ticks of axes: steps of 1, 2 and 5, and powers on logarithmic axes. */

import { minus } from "./numbers.js";

/** The finite numbers of a list. @param {Iterable<number|null|undefined>} values @returns {number[]} */
export function finite(values) {
  const known = [];
  for (const value of values) if (value !== null && Number.isFinite(value)) known.push(Number(value));
  return known;
}

/**
 * A range with a little room at both ends; one value alone gets room around it.
 * @param {number|null} low @param {number|null} high @param {number} [room] As a share of the range.
 * @returns {[number, number]}
 */
export function padded(low, high, room = 0.06) {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const around = high - low <= 1e-9 * size || high === low ? size * 0.1 || 1 : room * (high - low);
  return [low - around, high + around];
}

/** The step of 1, 2 or 5 times a power of ten that gives about `wanted` ticks. */
export function niceStep(low, high, wanted) {
  const rough = (high - low) / Math.max(wanted, 1);
  const size = 10 ** Math.floor(Math.log10(rough));
  const off = (m) => Math.abs(Math.log((m * size) / rough));
  return [1, 2, 5, 10].reduce((best, m) => (off(m) < off(best) ? m : best)) * size;
}

/**
 * About `wanted` round values within a range.
 * @param {number} low @param {number} high @param {number} wanted
 * @param {{log?: boolean, whole?: boolean}} [options] `whole` marks no fractions.
 * @returns {number[]}
 */
export function ticks(low, high, wanted, { log = false, whole = false } = {}) {
  if (!(high > low)) return [low];
  if (log) return logTicks(low, high, wanted);
  const fine = niceStep(low, high, wanted);
  const step = whole ? Math.max(1, fine) : fine;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

// Powers of 2, since the n of best-of-n double; below a tenth, whose powers of 2 nobody reads, of 10.
function logTicks(low, high, wanted) {
  const chosen = low < 0.1 ? decades(low, high, wanted) : powers(2, low, high, wanted);
  return chosen.length ? chosen : [Math.sqrt(low * high)];
}

function powers(base, low, high, wanted) {
  const [first, last] = [Math.ceil(Math.log(low) / Math.log(base) - 1e-9), Math.floor(Math.log(high) / Math.log(base) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(wanted, 1)));
  const found = [];
  for (let k = first; k <= last; k += every) found.push(base ** k);
  return found;
}

function decades(low, high, wanted) {
  const found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k += 1) {
    for (const m of [1, 2, 5]) {
      const value = Number((m * 10 ** k).toPrecision(3));
      if (value >= low * 0.999999 && value <= high * 1.000001) found.push(value);
    }
  }
  return found.length <= wanted + 1 ? found : powers(10, low, high, wanted);
}

/**
 * Ticks as text: evenly spaced ones with the same decimals, others each with its own.
 * @param {number[]} values @param {boolean} [percent]
 * @returns {string[]}
 */
export function tickLabels(values, percent = false) {
  const shown = percent ? values.map((value) => 100 * value) : values;
  const largest = Math.max(0, ...shown.map(Math.abs));
  const steps = shown.slice(1).map((value, k) => value - shown[k]);
  const step = Math.min(...steps, largest || 1);
  const uneven = steps.length > 1 && steps[steps.length - 1] > 1.5 * step;
  const decimals = Math.min(8, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const text = (value) => {
    if (value !== 0 && (largest >= 1e6 || largest < 1e-4)) return value.toExponential(0).replace("+", "");
    if (uneven) return Number(Number.isInteger(value) ? value : value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 9 });
    return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  };
  return shown.map((value) => minus(text(value === 0 ? 0 : value)) + (percent ? "%" : ""));
}
