/** Settings and seed in the page's address, so that what is shown can be sent to somebody. */

const PATIENCE_MS = 250;

/** @type {string|null} The query that waits to be written. */
let waiting = null;

/**
 * Write settings into the address; those at their defaults are left out.
 * @param {Record<string, any>} values
 * @param {Record<string, any>} defaults
 */
export function writeAddress(values, defaults) {
  const query = new URLSearchParams(waiting ?? location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === defaults[name] || value === null || value === undefined) query.delete(name);
    else query.set(name, valueText(value));
  }
  if (waiting === null) setTimeout(flush, PATIENCE_MS);
  waiting = query.toString();
}

// Browsers refuse more than some 100 changes of the address in 30 seconds, hence one at a time.
function flush() {
  const address = location.pathname + (waiting ? `?${waiting}` : "") + location.hash;
  waiting = null;
  if (address !== location.pathname + location.search + location.hash) history.replaceState(null, "", address);
}

/** A value as the address holds it. @param {any} value */
export function valueText(value) {
  if (typeof value === "boolean") return value ? "on" : "off";
  return String(value);
}

/** A query string of settings and a seed. */
export function queryOf(settings, seed) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) query.set(name, valueText(value));
  if (seed !== null && seed !== undefined) query.set("seed", String(seed));
  return query.toString();
}
