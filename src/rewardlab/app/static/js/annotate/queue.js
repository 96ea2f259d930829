/** Pairs to judge, fetched ahead, so that the next one is there at once and without a network. */

const HELD = 10;
const REFILL = 5;
const RETRY_MS = 5_000;
const ASK_AGAIN_MS = 30_000;

export class Queue {
  /**
   * @param {(body: any) => Promise<any>} fetchPairs
   * @param {import("../core/outbox.js").Outbox} outbox
   * @param {() => void} onChange After pairs came or went, or could not come.
   */
  constructor(fetchPairs, outbox, onChange) {
    this.fetchPairs = fetchPairs;
    this.outbox = outbox;
    this.onChange = onChange;
    /** @type {any[]} The first is on screen. */
    this.pairs = [];
    /** @type {any} How far this annotator is, as of the last answer. */
    this.progress = null;
    /** Done here since then: judged, and no longer left. */
    this.since = { judged: 0, left: 0 };
    this.stopped = false;
    /** @type {any} Why no pairs came. */
    this.failure = null;
    /** @type {Promise<void>|null} */
    this.filling = null;
    this.timer = 0;
    addEventListener("online", () => this.fill());
  }

  /** The pair on screen. @returns {any} */
  get current() {
    return this.pairs[0] || null;
  }

  /** Go on to the next. @param {boolean} judged Not skipped. */
  advance(judged) {
    this.pairs.shift();
    this.count(judged, 1);
    if (this.pairs.length <= REFILL) this.fill();
  }

  /** Show a pair again, before all others. @param {any} pair @param {boolean} judged Not skipped. */
  back(pair, judged) {
    this.pairs = [pair, ...this.pairs.filter((other) => other.pair !== pair.pair)];
    this.count(judged, -1);
  }

  /** Without a pair that was judged elsewhere. @param {number} number */
  drop(number) {
    const left = this.pairs.filter((pair) => pair.pair !== number);
    if (left.length === this.pairs.length) return;
    this.pairs = left;
    this.count(true, 1);
    this.onChange();
    if (this.pairs.length <= REFILL) this.fill();
  }

  /** No further pairs from now on. */
  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    this.pairs = [];
  }

  goOn() {
    this.stopped = false;
    return this.fill();
  }

  /** Fetch what is wanted. @returns {Promise<void>} */
  fill() {
    if (this.stopped) return Promise.resolve();
    clearTimeout(this.timer);
    if (!this.filling) {
      this.filling = this.ask().finally(() => {
        this.filling = null;
        this.onChange();
      });
    }
    return this.filling;
  }

  async ask() {
    try {
      // What was judged before has arrived, what is judged meanwhile has not: so the counts are right.
      await this.outbox.between(() => this.fetch());
      this.failure = null;
      if (!this.pairs.length && !this.stopped) this.later(ASK_AGAIN_MS);
    } catch (error) {
      this.failure = error;
      this.later(RETRY_MS);
    }
  }

  async fetch() {
    const before = this.since;
    const said = await this.fetchPairs({ n: HELD, have: this.pairs.map(({ pair }) => pair) });
    if (this.stopped) return;
    this.take(said);
    this.progress = said.progress;
    this.since = { judged: this.since.judged - before.judged, left: this.since.left - before.left };
  }

  /** @param {any} said */
  take(said) {
    const judged = new Set(this.outbox.pending().map(({ pair }) => pair));
    const dropped = new Set(said.dropped.filter((number) => !judged.has(number)));
    const held = this.pairs.filter(({ pair }, k) => k === 0 || !dropped.has(pair));
    const have = new Set(held.map(({ pair }) => pair));
    this.pairs = [...held, ...said.pairs.filter(({ pair }) => !have.has(pair) && !judged.has(pair))];
  }

  /** @param {boolean} judged @param {number} by */
  count(judged, by) {
    this.since = { judged: this.since.judged + (judged ? by : 0), left: this.since.left - by };
  }

  later(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fill(), wait);
  }
}
