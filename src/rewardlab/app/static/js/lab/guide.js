/** Six experiments, each a button that sets everything, runs, and says what to look at. */

import { h, say } from "../core/dom.js";
import { keep, kept } from "./keep.js";

const BY_HAND = 30;

export class Guide {
  /**
   * @param {any[]} experiments
   * @param {(experiment: any) => void} onStart
   * @param {{hand: any, run: any}} places Where the note stands: in stage 1, or in stage 3.
   * @param {() => void} onReveal
   */
  constructor(experiments, onStart, places, onReveal) {
    this.experiments = experiments;
    this.onStart = onStart;
    this.places = places;
    /** @type {any} */
    this.active = null;
    this.done = new Set((kept("tried") || "").split(",").filter(Boolean));
    this.buttons = experiments.map((one) => h("button", { type: "button", "aria-pressed": "false", on: { click: () => this.start(one) } },
      h("span", { class: "step", "aria-hidden": "true" }, one.number), h("span", {}, one.title)));
    this.element = h("ol", { class: "experiments" }, ...this.buttons.map((button) => h("li", {}, button)));
    this.title = h("h3");
    this.does = h("p");
    this.look = h("p", { class: "look" });
    this.progress = h("progress", { max: BY_HAND, value: 0, "aria-label": "Pairs judged by hand" });
    this.counted = h("span");
    this.counter = h("p", { class: "counter" }, this.progress, this.counted);
    this.reveal = h("button", { type: "button", on: { click: onReveal } }, "Compare with the hidden rubric");
    this.next = h("button", { type: "button", on: { click: () => this.start(this.following()) } });
    this.note = h("aside", { class: "note", "aria-label": "The experiment" }, this.title, this.does, this.counter, this.look,
      h("div", { class: "row" }, this.reveal, this.next,
        h("button", { type: "button", class: "plain", on: { click: () => this.close() } }, "Close")));
    this.mark();
  }

  start(experiment) {
    this.active = experiment;
    this.done.add(String(experiment.number));
    keep("tried", [...this.done].join(","));
    say(this.title, `Experiment ${experiment.number}: ${experiment.title}`);
    say(this.does, experiment.does);
    this.look.replaceChildren(h("b", {}, "Look at this. "), experiment.look_at);
    this.counter.hidden = !experiment.by_hand;
    this.reveal.hidden = !experiment.by_hand;
    const following = this.following();
    this.next.hidden = !following;
    if (following) say(this.next, `Next: ${following.number} ${following.title}`);
    const place = experiment.by_hand ? this.places.hand : this.places.run;
    place.append(this.note);
    this.mark();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    place.closest("section").scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
    this.onStart(experiment);
  }

  following() {
    return this.experiments[this.experiments.indexOf(this.active) + 1];
  }

  close() {
    const button = this.buttons[this.experiments.indexOf(this.active)];
    this.active = null;
    this.note.remove();
    this.mark();
    button.focus();
  }

  /** @param {number} n_labels */
  count(n_labels) {
    this.progress.value = Math.min(n_labels, BY_HAND);
    say(this.counted, n_labels < BY_HAND ? `${n_labels} of ${BY_HAND} judged` : `${n_labels} judged: enough to compare`);
    this.reveal.classList.toggle("primary", n_labels >= BY_HAND);
  }

  mark() {
    this.experiments.forEach((one, k) => {
      const button = this.buttons[k];
      button.setAttribute("aria-pressed", String(one === this.active));
      button.toggleAttribute("data-done", this.done.has(String(one.number)));
    });
  }
}
