/** What happened, in one sentence that changes, in room that never shrinks. */

import { h, say } from "../core/dom.js";

const SPARE = 1.15;
const REST_MS = 600;

export class Sentence {
  constructor() {
    this.said = h("p", { class: "sentence", "aria-hidden": "true" });
    // What is heard waits until the sentence rests: a drag or a play passes through dozens.
    this.heard = h("p", { class: "unseen", role: "status" });
    this.timer = 0;
    // An unseen copy of the longest sentence so far, and some, holds the room at any width.
    this.room = h("p", { class: "sentence-room", "aria-hidden": "true" });
    this.longest = 0;
    this.element = h("div", { class: "said" }, this.said, this.room, this.heard);
  }

  /** @param {string} text */
  show(text) {
    say(this.said, text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => say(this.heard, text), this.longest ? REST_MS : 0);
    if (text.length <= this.longest) return;
    const first = this.longest === 0;
    this.longest = Math.ceil(text.length * (first ? SPARE : 1));
    say(this.room, first ? `${text} ${text}`.slice(0, this.longest) : text);
  }
}
