/** A text in a frame of its own that scrolls: the prompt, or one of the two responses. */

import { h, say } from "../core/dom.js";
import { counted } from "../core/words.js";
import { hasMarkdown, turnsOf } from "./rich.js";

export class Column {
  /** @param {string} title @param {string} css */
  constructor(title, css) {
    this.body = h("div", { class: "text", tabindex: 0, role: "region", "aria-label": `${title}: its text` });
    this.count = h("span", { class: "quiet" });
    this.more = h("span", { class: "more-text", "aria-hidden": "true", hidden: true });
    this.element = h("section", { class: `column ${css}`, "aria-label": title },
      h("header", {}, h("h2", {}, title), this.count),
      h("div", { class: "text-place" }, this.body, this.more));
    /** @type {any[]} */
    this.turns = [];
    this.body.addEventListener("scroll", () => this.measure(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.body);
  }

  /** @param {any[]} turns @param {boolean} formatted */
  show(turns, formatted) {
    const other = turns !== this.turns;
    this.turns = turns;
    this.body.replaceChildren(...turnsOf(turns, formatted));
    const words = turns.reduce((n, { text }) => n + (text.match(/\S+/g) || []).length, 0);
    say(this.count, `${turns.length > 1 ? `${counted(turns.length, "turn")}, ` : ""}${counted(words, "word")}`);
    if (other) this.showLast();
    this.measure();
  }

  /** Of a conversation, what was said last is to be answered; what was said before stands above it. */
  showLast() {
    this.body.scrollTop = 0;
    if (this.turns.length > 1) this.body.scrollTop = this.body.lastElementChild.getBoundingClientRect().top - this.body.getBoundingClientRect().top;
  }

  /** Show which words the other side has not. @param {(string|[string, number])[]} parts */
  showOwn(parts) {
    this.body.replaceChildren(h("p", { class: "written", dir: "auto" },
      ...parts.map((part) => (typeof part === "string" ? part : h("mark", {}, part[0])))));
    this.measure();
  }

  get hasMarkdown() {
    return hasMarkdown(this.turns);
  }

  /** Say that there is more below. */
  measure() {
    const { scrollHeight, clientHeight, scrollTop } = this.body;
    const lines = Math.round((scrollHeight - clientHeight - scrollTop) / (parseFloat(getComputedStyle(this.body).lineHeight) || 24));
    this.more.hidden = lines < 1;
    if (lines >= 1) say(this.more, `${counted(lines, "more line")} ↓`);
  }
}
