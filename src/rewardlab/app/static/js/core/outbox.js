/** Labels on their way: kept by the browser until the server says that they are on its disk. */

import { forget, keep, kept, namesKept } from "./keep.js";
import { randomName } from "./names.js";

const BATCH = 100;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
const REFUSED_WHOLE = [413, 422];

let stamp = 0;

/**
 * @typedef {{events: string, refused: string}} Places How the names begin under which events are
 *   kept that wait, and those that the server would not take, each with the reason.
 * @typedef {{acknowledged: string[], refused?: Record<string, string>, [more: string]: any}} Answer
 *   The ids of what is on the server's disk, and of what it will not take: why.
 */

/**
 * One entry for each event, so that two tabs never overwrite each other's. An event that arrives
 * twice counts once, because the server knows it by its id.
 */
export class Outbox {
  /**
   * @param {Places} places
   * @param {(events: any[]) => Promise<Answer>} post Sends events; rejects where the server did not
   *   take them.
   * @param {(said: Answer) => void} onStored After the server stored something.
   * @param {() => void} onChange After every change of what waits.
   */
  constructor(places, post, onStored, onChange) {
    this.places = places;
    this.post = post;
    this.onStored = onStored;
    this.onChange = onChange;
    /** @type {import("./data.js").RequestError|null} Why what waits could not be sent. */
    this.failure = null;
    this.wait = FIRST_WAIT_MS;
    this.timer = 0;
    this.limit = BATCH;
    /** @type {Promise<void>|null} */
    this.sending = null;
    addEventListener("online", () => this.now());
    addEventListener("focus", () => this.now());
  }

  /** Events that the server has not acknowledged, oldest first. @returns {any[]} */
  pending() {
    return namesKept(this.places.events).map((name) => JSON.parse(kept(name) || "null")).filter(Boolean);
  }

  /** Keep an event and send it. @param {Record<string, any>} event */
  add(event) {
    stamp = Math.max(stamp + 1, Date.now());
    const whole = { id: randomName(), ...event };
    keep(`${this.places.events}${String(stamp).padStart(15, "0")}.${whole.id}`, JSON.stringify(whole));
    this.onChange();
    this.now();
  }

  /** What the server would not take, oldest first. @returns {{event: any, reason: string}[]} */
  refused() {
    return namesKept(this.places.refused).map((name) => JSON.parse(kept(name) || "null")).filter(Boolean);
  }

  /** Send again what was refused: what stood in its way may be gone. */
  retry() {
    for (const name of namesKept(this.places.refused)) {
      const { event } = JSON.parse(kept(name) || "{}");
      if (event) keep(this.places.events + name.slice(this.places.refused.length), JSON.stringify(event));
      forget(name);
    }
    this.onChange();
    this.now();
  }

  /** Give up what was refused. */
  drop() {
    namesKept(this.places.refused).forEach(forget);
    this.onChange();
  }

  /** Send what waits, without waiting for the next try. */
  now() {
    this.flush().catch(() => this.later());
  }

  /** Send all that waits. Rejects where the server cannot be reached. @returns {Promise<void>} */
  flush() {
    clearTimeout(this.timer);
    if (!this.sending) {
      this.sending = this.send().finally(() => { this.sending = null; });
    }
    return this.sending;
  }

  /**
   * Send all that waits, then run a job while nothing is sent: what is added meanwhile goes out after it.
   * @param {() => Promise<void>} job
   * @returns {Promise<void>}
   */
  async between(job) {
    await this.flush();
    this.sending = job().finally(() => { this.sending = null; });
    try {
      await this.sending;
    } finally {
      this.now();
    }
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
  }

  async send() {
    for (;;) {
      const names = namesKept(this.places.events).slice(0, this.limit);
      if (!names.length) return;
      await this.sendThese(names);
    }
  }

  /** @param {string[]} names */
  async sendThese(names) {
    const events = names.map((name) => JSON.parse(kept(name) || "null"));
    try {
      const said = await this.post(events.filter(Boolean));
      const stored = new Set(said.acknowledged);
      names.forEach((name, k) => {
        const { id } = events[k] || {};
        const reason = said.refused && said.refused[id];
        if (reason) this.layAside(name, reason);
        else if (!id || stored.has(id)) forget(name);
      });
      this.failure = null;
      this.wait = FIRST_WAIT_MS;
      this.limit = BATCH;
      this.onStored(said);
      this.onChange();
    } catch (error) {
      if (!REFUSED_WHOLE.includes(error.status)) {
        this.failure = error;
        this.onChange();
        throw error;
      }
      this.blame(names, error.message);
    }
  }

  /** A batch is refused whole: find the event that is at fault and lay it aside. */
  blame(names, reason) {
    if (names.length > 1) {
      this.limit = 1;
      return;
    }
    this.layAside(names[0], reason);
    this.limit = BATCH;
    this.onChange();
  }

  /** @param {string} name @param {string} reason */
  layAside(name, reason) {
    const event = JSON.parse(kept(name) || "null");
    if (event) keep(this.places.refused + name.slice(this.places.events.length), JSON.stringify({ event, reason }));
    forget(name);
  }
}
