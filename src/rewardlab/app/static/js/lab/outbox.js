/** Labels on their way: kept by the browser until the server says that they are on its disk. */

import { forget, keep, kept, namesKept } from "../core/keep.js";
import { ask, randomName } from "./api.js";

const EVENTS = "event.";
/** Events that the server would not take, each with the reason. */
const REFUSED = "refused.";
const BATCH = 100;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
const PATIENCE_MS = 10_000;

let stamp = 0;

/**
 * One entry for each event, so that two tabs never overwrite each other's. An event that arrives
 * twice counts once, because the server knows it by its id.
 */
export class Outbox {
  /**
   * @param {(state: any) => void} onState With what the server has after it stored something.
   * @param {() => void} onChange After every change of what waits.
   */
  constructor(onState, onChange) {
    this.onState = onState;
    this.onChange = onChange;
    this.failing = false;
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
    return namesKept(EVENTS).map((name) => JSON.parse(kept(name) || "null")).filter(Boolean);
  }

  /** Keep an event and send it. @param {Record<string, any>} event */
  add(event) {
    stamp = Math.max(stamp + 1, Date.now());
    const whole = { id: randomName(), ...event };
    keep(`${EVENTS}${String(stamp).padStart(15, "0")}.${whole.id}`, JSON.stringify(whole));
    this.onChange();
    this.now();
  }

  /** What the server would not take, oldest first. @returns {{event: any, reason: string}[]} */
  refused() {
    return namesKept(REFUSED).map((name) => JSON.parse(kept(name) || "null")).filter(Boolean);
  }

  /** Send again what was refused: what stood in its way may be gone. */
  retry() {
    for (const name of namesKept(REFUSED)) {
      const { event } = JSON.parse(kept(name) || "{}");
      if (event) keep(name.replace(REFUSED, EVENTS), JSON.stringify(event));
      forget(name);
    }
    this.onChange();
    this.now();
  }

  /** Give up what was refused. */
  drop() {
    namesKept(REFUSED).forEach(forget);
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

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
  }

  async send() {
    for (;;) {
      const names = namesKept(EVENTS).slice(0, this.limit);
      if (!names.length) return;
      await this.sendThese(names);
    }
  }

  /** @param {string[]} names */
  async sendThese(names) {
    const events = names.map((name) => JSON.parse(kept(name) || "null"));
    try {
      const { acknowledged, state } = await ask("events", { events }, PATIENCE_MS);
      const stored = new Set(acknowledged);
      names.filter((_, k) => stored.has(events[k].id)).forEach(forget);
      this.failing = false;
      this.wait = FIRST_WAIT_MS;
      this.limit = BATCH;
      this.onState(state);
      this.onChange();
    } catch (error) {
      if (error.status !== 422) {
        this.failing = true;
        this.onChange();
        throw error;
      }
      this.layAside(names, error.message);
    }
  }

  /** A batch is refused whole: find the event that is at fault and lay it aside. */
  layAside(names, reason) {
    if (names.length > 1) {
      this.limit = 1;
      return;
    }
    const event = JSON.parse(kept(names[0]) || "null");
    keep(names[0].replace(EVENTS, REFUSED), JSON.stringify({ event, reason }));
    forget(names[0]);
    this.limit = BATCH;
    this.onChange();
  }
}

/** How many labels there will be once all that waits has arrived; a pair that was skipped is none. */
export function foretold(n_labels, pending) {
  const added = [];
  let n = n_labels;
  for (const event of pending) {
    const change = event.kind === "label" ? Number(event.outcome !== "skip") : event.kind === "auto" ? event.n : event.kind === "clear" ? -n
      : -(added.pop() ?? 1);
    if (event.kind !== "undo") added.push(change);
    n = Math.max(0, n + change);
  }
  return n;
}
