/** An answer as a card: its words, and its six features as small bars. */

import { h, say } from "../core/dom.js";

/** A card that can show another answer in the same place. */
export class AnswerCard {
  /**
   * @param {string} title
   * @param {{name: string, label: string}[]} features
   * @param {string} [tone] "gold" for the real goal.
   */
  constructor(title, features, tone = "") {
    this.answer = -1;
    this.words = h("span", { class: "words" });
    this.text = h("p", { dir: "auto" });
    this.box = h("div", { class: "answer-text", tabindex: 0, role: "region", "aria-label": `${title}: its text` }, this.text);
    // For the eye alone: the box takes the focus, scrolls by keys, and is read as a whole.
    this.more = h("span", { class: "more-text", "aria-hidden": "true", hidden: true });
    this.box.addEventListener("scroll", () => this.measure());
    new ResizeObserver(() => this.measure()).observe(this.box);
    this.rows = features.map((feature) => new FeatureRow(feature));
    this.list = h("dl", { class: "features" }, ...this.rows.map((row) => row.element));
    this.foot = h("div", { class: "card-foot" });
    this.element = h("article", { class: `answer ${tone}` },
      h("header", {}, h("h3", {}, title), this.words),
      h("div", { class: "answer-place" }, this.box, this.more), this.list, this.foot);
  }

  /** Say how many lines lie below. */
  measure() {
    const { scrollHeight, clientHeight, scrollTop } = this.box;
    const lines = Math.round((scrollHeight - clientHeight - scrollTop) / this.line());
    this.more.hidden = lines < 1;
    if (lines >= 1) say(this.more, `${lines} more line${lines === 1 ? "" : "s"} ↓`);
  }

  line() {
    return parseFloat(getComputedStyle(this.box).lineHeight);
  }

  /** @param {any} card As the server sends it; null for none. @param {string} [instead] */
  show(card, instead = "") {
    const answer = card ? card.answer : -1;
    const text = card ? card.text : instead;
    const changed = answer !== this.answer || text !== this.text.textContent;
    this.answer = answer;
    say(this.text, text);
    if (changed) {
      this.box.scrollTop = 0;
      this.measure();
    }
    say(this.words, card ? `${card.words} words` : "");
    this.element.classList.toggle("empty", !card);
    this.rows.forEach((row, k) => row.show(card && card.features[k]));
  }

  /** Let rows stand out in which it differs from another card. */
  against(card, other) {
    this.rows.forEach((row, k) => row.element.toggleAttribute("data-same",
      Boolean(card && other) && card.features[k].value === other.features[k].value));
  }
}

class FeatureRow {
  constructor(feature) {
    this.fill = h("i");
    this.bar = h("span", { class: "level", "aria-hidden": "true" }, this.fill);
    this.value = h("span", { class: "level-value" });
    this.element = h("div", {}, h("dt", {}, feature.label), h("dd", {}, this.bar, this.value));
  }

  show(feature) {
    say(this.value, feature ? feature.value : "–");
    this.fill.style.width = `${100 * (feature ? feature.level : 0)}%`;
  }
}
