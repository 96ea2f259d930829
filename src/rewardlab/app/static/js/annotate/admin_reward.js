/** The reward that the judgements teach so far; fitted on the server, which may take seconds. */

import { Newest, request } from "../core/data.js";
import { h, say } from "../core/dom.js";

export class Reward {
  /** @param {string} address @param {(answer: any) => void} onFitted Gets what came with the reward. */
  constructor(address, onFitted) {
    this.address = address;
    this.onFitted = onFitted;
    this.said = h("p", { class: "quiet" }, "Fitting…");
    this.beside = h("p", { class: "small" });
    this.place = h("div");
    this.element = h("div", { class: "reward" }, this.said, this.place, this.beside);
    this.shown = "";
    this.newest = new Newest(() => this.fetch());
    this.n = -1;
  }

  /** @param {number} n Judgements that stand. */
  ask(n) {
    if (n === this.n) return;
    this.n = n;
    this.newest.ask(n);
  }

  async fetch() {
    try {
      await this.show(await request(`${this.address}/reward`));
    } catch (error) {
      this.n = -1;
      say(this.said, error.message);
    }
  }

  /** @param {any} answer */
  async show(answer) {
    this.onFitted(answer);
    const { n, words, because, beside } = answer;
    const shape = JSON.stringify([n, words, because]);
    if (shape === this.shown) return;
    this.shown = shape;
    if (!words) {
      this.place.replaceChildren();
      say(this.beside, "");
      return say(this.said, `What the judgements pay for cannot be said yet: ${because}.`);
    }
    const { rewardView } = await import("../reports/reward.js");
    this.place.replaceChildren(rewardView(words));
    say(this.said, `A reward of text features, fitted to ${n.toLocaleString("en")} judgements.`);
    say(this.beside, beside || "");
  }
}
