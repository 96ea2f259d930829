/** What happened, in one sentence that changes, in room that never shrinks. */

import { h, say } from "../core/dom.js";

const SPARE = 1.15;

export class Sentence {
  constructor() {
    this.said = h("p", { class: "sentence", role: "status" });
    // An unseen copy of the longest sentence so far, and some, holds the room at any width.
    this.room = h("p", { class: "sentence-room", "aria-hidden": "true" });
    this.longest = 0;
    this.element = h("div", { class: "said" }, this.said, this.room);
  }

  /** @param {string} text */
  show(text) {
    say(this.said, text);
    if (text.length <= this.longest) return;
    const first = this.longest === 0;
    this.longest = Math.ceil(text.length * (first ? SPARE : 1));
    say(this.room, first ? `${text} ${text}`.slice(0, this.longest) : text);
  }
}
