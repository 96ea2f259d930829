/** What the visitor has set, and its place in the page's address. */

import { writeAddress } from "../core/address.js";

const GENERAL = ["prompt", "rater", "thumbs_weight", "n", "writer", "method", "seed"];
const OF_RUN = ["beta", "step_size", "n_steps", "n_max"];
const LARGEST_SEED = 999_999_999;

export class Settings {
  /** @param {any} boot What the server put into the page. */
  constructor(boot) {
    this.defaults = boot.defaults;
    this.prompts = boot.prompts.map((one) => one.key);
    this.labelling = Object.fromEntries(boot.labelling.map((control) => [control.name, control]));
    this.methods = Object.fromEntries(boot.methods.map((method) => [method.key, method]));
    /** @type {Record<string, any>} */
    this.values = pick(boot.defaults, GENERAL);
    /** @type {Record<string, Record<string, any>>} Each method's own. */
    this.own = {};
    this.forgetOwn();
    this.own[this.values.method] = { ...this.own[this.values.method], ...pick(boot.defaults, this.names()) };
    this.first = structuredClone(this.own);
    /** @type {number|null} The price of KL that somebody chose, which goes along to other methods. */
    this.price = null;
  }

  forgetOwn() {
    for (const [key, method] of Object.entries(this.methods)) {
      this.own[key] = Object.fromEntries(method.controls.map((control) => [control.name, control.default]));
    }
  }

  /** The method that is chosen. @returns {any} */
  get method() {
    return this.methods[this.values.method];
  }

  /** What the chosen method lets one set. */
  get chosen() {
    return this.own[this.values.method];
  }

  names() {
    return this.method.controls.map((control) => control.name);
  }

  /** Change a setting. */
  set(name, value) {
    if (name === "beta") this.price = value;
    if (OF_RUN.includes(name)) this.chosen[name] = value;
    else this.values[name] = value;
    if (name === "method" && this.price !== null && this.allowed("beta", this.price)) this.chosen.beta = this.price;
    this.write();
  }

  /** Set all that an experiment sets. @param {Record<string, any>} given */
  apply(given) {
    this.forgetOwn();
    this.price = null;
    for (const name of [...GENERAL, ...OF_RUN]) {
      const value = given[name];
      if (value === undefined || value === null || !this.allowed(name, value)) continue;
      if (OF_RUN.includes(name)) this.chosen[name] = value;
      else this.values[name] = value;
    }
    this.write();
  }

  /** Settings of a run as the server takes them. */
  run(stop = null) {
    const { method, seed, prompt } = this.values;
    return { ...pick(this.defaults, OF_RUN), method, seed, prompt, ...this.chosen, stop };
  }

  /** Whether a value is one that its control could have. */
  allowed(name, value) {
    if (name === "prompt") return this.prompts.includes(value);
    if (name === "method") return Object.hasOwn(this.methods, value);
    if (name === "writer") return value === "reference" || value === "policy";
    if (name === "seed") return Number.isInteger(value) && value >= 0 && value <= LARGEST_SEED;
    const control = this.labelling[name] || this.method.controls.find((one) => one.name === name);
    if (!control) return false;
    if (control.options) return Object.hasOwn(control.options, value);
    return Number.isFinite(value) && value >= control.low && value <= control.high && (!control.whole || Number.isInteger(value));
  }

  /** Take over what the page's address says; what it gets wrong is left as it was. */
  read() {
    const query = new URLSearchParams(location.search);
    for (const name of [...GENERAL, ...OF_RUN]) {
      const text = query.get(name);
      if (text === null) continue;
      const value = typeof this.defaults[name] === "number" ? Number(text) : text;
      if (text === "" || !this.allowed(name, value)) continue;
      if (OF_RUN.includes(name)) this.chosen[name] = value;
      else this.values[name] = value;
    }
  }

  write() {
    const absent = Object.fromEntries(OF_RUN.map((name) => [name, null]));
    writeAddress({ ...this.values, ...absent, ...this.chosen }, { ...pick(this.defaults, GENERAL), ...this.first[this.values.method] });
  }
}

/** Some of an object's values. */
function pick(from, names) {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}
