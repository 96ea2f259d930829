/** The places at which a slider can stand. */

const MOST = 200;

/**
 * Every value that a slider stops at, ascending, its ends and its default among them.
 * @param {any} control A slider as declared; in a static copy with the `stops` that it has there.
 * @returns {number[]}
 */
export function stopsOf(control) {
  if (control.stops) return control.stops;
  const { low, high, step, log, whole } = control;
  const grain = log ? 0 : step || (whole ? 1 : 0);
  const n = grain ? Math.round((high - low) / grain) : MOST;
  const found = new Set([low, high, control.default]);
  for (let k = 1; k < n; k += 1) {
    const raw = log ? low * (high / low) ** (k / n) : low + (grain || (high - low) / n) * k;
    found.add(whole ? Math.round(raw) : Number(raw.toPrecision(grain ? 9 : 3)));
  }
  const stops = [...found].sort((a, b) => a - b);
  return grain ? stops : apart(stops, control, n);
}

/** Without the stop that the default has pushed itself beside. */
function apart(stops, control, n) {
  const scaled = (value) => (control.log ? Math.log(value / control.low) / Math.log(control.high / control.low) : (value - control.low) / (control.high - control.low));
  const at = scaled(control.default);
  return stops.filter((value) => value === control.default || value === control.low || value === control.high
    || control.whole || Math.abs(scaled(value) - at) > 0.5 / n);
}

/** The index of the stop nearest to a value. @param {number[]} stops @param {number} value */
export function nearest(stops, value) {
  let best = 0;
  stops.forEach((stop, k) => {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = k;
  });
  return best;
}
