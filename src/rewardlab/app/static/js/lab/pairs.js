/** Pairs to compare, fetched ahead, so that the next one is there at once and without a network. */

import { keep, kept } from "../core/keep.js";
import { ask } from "./api.js";

const CHUNK = 10;
const WAIT_MS = 1_500;

/** A stream of pairs: the same question always gives the same pairs. */
export class Pairs {
  /** @param {() => void} onChange After pairs came, or could not. */
  constructor(onChange) {
    this.onChange = onChange;
    this.key = "";
    /** @type {any} */
    this.question = null;
    /** @type {any[]} */
    this.waiting = [];
    this.error = "";
    /** @type {Promise<void>|null} */
    this.filling = null;
    this.timer = 0;
    addEventListener("online", () => this.fill());
  }

  /** Ask for other pairs from now on. @param {{prompt: string, seed: number, writer: string, run: any}} question */
  follow(question) {
    const key = JSON.stringify(question);
    if (key === this.key) return;
    this.key = key;
    this.question = question;
    this.next = question.run ? 0 : Number(kept(this.place()) || 0);
    this.waiting = [];
    this.error = "";
    this.fill();
  }

  /** The pair to compare now. @returns {any} */
  get current() {
    return this.waiting[0] || null;
  }

  /** Go on to the next pair. */
  advance() {
    const [done] = this.waiting.splice(0, 1);
    if (done && !this.question.run) keep(this.place(), String(done.index + 1));
    this.fill();
  }

  /** Show an earlier pair again. */
  back(pair) {
    this.waiting.unshift(pair);
  }

  place() {
    return `next.${this.question.prompt}.${this.question.seed}`;
  }

  /** Fetch ahead, unless enough waits. @returns {Promise<void>} */
  fill() {
    if (!this.question || this.waiting.length > CHUNK) return Promise.resolve();
    clearTimeout(this.timer);
    if (!this.filling) {
      const asked = this.key;
      this.filling = this.fetchChunk(asked).finally(() => {
        this.filling = null;
        this.onChange();
        if (asked !== this.key) this.fill();
      });
    }
    return this.filling;
  }

  async fetchChunk(asked) {
    try {
      const { pairs } = await ask("pairs", { ...this.question, start: this.next, n: CHUNK });
      if (asked !== this.key) return;
      this.waiting.push(...pairs);
      this.next += pairs.length;
      this.error = "";
    } catch (error) {
      if (asked !== this.key) return;
      this.error = error.message;
      if (error.status !== 422) this.timer = setTimeout(() => this.fill(), WAIT_MS);
    }
  }
}
