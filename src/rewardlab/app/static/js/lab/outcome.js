/** What became of a run, at any of its points: four figures, features, and two answers. */

import { minus, reading } from "../charts/numbers.js";
import { h, say } from "../core/dom.js";
import { AnswerCard } from "./cards.js";
import { Drift } from "./drift.js";

export class Outcome {
  /** @param {{name: string, label: string}[]} features */
  constructor(features) {
    this.figures = ["step", "distance, √KL", "learned reward", "true quality"].map((label) => ({
      name: h("dt", {}, label), value: h("dd", {}, "–"),
    }));
    this.readout = h("dl", { class: "readout", "data-runs": 0 }, ...this.figures.map(({ name, value }) => h("div", {}, name, value)));
    this.drift = new Drift(features);
    this.policy = new AnswerCard("What the policy now writes most", features);
    this.best = new AnswerCard("The truly best answer", features, "gold");
    this.policy.show(null, "The answer that the policy writes most, as the run goes on.");
    this.best.show(null, "The answer that the hidden rubric likes best, to compare it with.");
    this.answers = h("div", { class: "pair after" }, this.policy.element, this.best.element);
  }

  /** A run begins: what is the same all along it. @param {any} run */
  begin({ result }) {
    say(this.figures[0].name, result.strength_label);
    this.best.show(result.best);
    foot(this.best, result.best);
  }

  /** @param {any} run @param {number} index */
  show({ result, lines, end }, index) {
    const { path } = result;
    const [now, last] = [path.strength[index], path.strength[end]].map((strength) => reading(strength));
    const said = [`${now} of ${last}`, ...[lines.distance, path.proxy, path.gold].map((values) => hundredths(values[index]))];
    said.forEach((text, k) => say(this.figures[k].value, text));
    this.drift.show(path.features, index);
    const card = result.answers[path.likeliest[index]];
    if (!card) return;
    this.policy.show(card);
    foot(this.policy, card, path.likeliest_share[index]);
  }
}

/** As sentences say it, and always of the same width. @param {number} value */
function hundredths(value) {
  const text = value.toFixed(2);
  return text === "-0.00" ? "0.00" : minus(text);
}

/** @param {AnswerCard} card @param {any} answer @param {number} [share] */
function foot(card, answer, share) {
  const part = (label, value, css) => h("span", { class: css }, `${label} `, h("b", {}, value));
  card.foot.replaceChildren(part("learned reward", hundredths(answer.learned), "tone-proxy"),
    part("true quality", hundredths(answer.gold), "tone-gold"),
    share === undefined ? "" : part("written", reading(share, true), "quiet"));
}
