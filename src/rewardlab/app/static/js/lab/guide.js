/** Six experiments, each a button that sets everything, runs, and says what to look at. */

import { h, say } from "../core/dom.js";
import { forget, keep, kept } from "../core/keep.js";

const BY_HAND = 30;

export class Guide {
  /**
   * @param {any[]} experiments
   * @param {(experiment: any, seed?: number) => void} onStart
   * @param {(stage: string) => any} placeOf Where the note of a stage stands.
   * @param {() => void} onReveal
   */
  constructor(experiments, onStart, placeOf, onReveal) {
    this.experiments = experiments;
    this.onStart = onStart;
    this.placeOf = placeOf;
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
    this.again = h("button", { type: "button", class: "primary", on: { click: () => this.reseed() } });
    this.next = h("button", { type: "button", on: { click: () => this.start(this.following()) } });
    this.note = h("aside", { class: "note", "aria-label": "The experiment", tabindex: -1 }, this.title, this.does, this.counter, this.look,
      h("div", { class: "row" }, this.reveal, this.again, this.next,
        h("button", { type: "button", class: "plain", on: { click: () => this.close() } }, "Close")));
    this.mark();
  }

  start(experiment) {
    this.done.add(String(experiment.number));
    keep("tried", [...this.done].join(","));
    keep("experiment", String(experiment.number));
    this.show(experiment);
    // The keyboard goes on from the note, and what it is about comes into view.
    this.note.focus({ preventScroll: true });
    const stage = this.note.closest(".stage");
    const shown = this.note.parentElement.parentElement === stage ? stage : this.note;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    shown.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
    this.onStart(experiment);
  }

  /** The same with the next seed: other pairs, and other labels. */
  reseed() {
    this.seed += 1;
    this.offerSeed();
    this.onStart(this.active, this.seed);
  }

  offerSeed() {
    say(this.again, `Another seed: ${this.seed + 1}`);
  }

  /** The note as it was in an earlier visit. @param {number|null} guided Which experiment's run is shown. */
  restore(guided) {
    const experiment = this.experiments.find((one) => String(one.number) === kept("experiment"));
    if (!experiment) return;
    this.show(experiment);
    this.ran(guided);
  }

  /** Say where what is shown is no longer the experiment's. @param {number|null} guided */
  ran(guided) {
    const { active } = this;
    if (!active || active.by_hand) return;
    say(this.does, active.number === guided ? active.does
      : "What is shown is a run of your own. The text below is about the experiment as its button sets it.");
  }

  /** @param {any} experiment */
  show(experiment) {
    this.active = experiment;
    say(this.title, `Experiment ${experiment.number}: ${experiment.title}`);
    say(this.does, experiment.does);
    this.look.replaceChildren(h("b", {}, "Look at this. "), experiment.look_at);
    this.counter.hidden = !experiment.by_hand;
    this.reveal.hidden = !experiment.by_hand;
    this.again.hidden = !experiment.reseeds;
    this.seed = experiment.settings.seed;
    this.offerSeed();
    const following = this.following();
    this.next.hidden = !following;
    if (following) say(this.next, `Next: ${following.number} ${following.title}`);
    this.placeOf(experiment.stage).append(this.note);
    this.mark();
  }

  following() {
    return this.experiments[this.experiments.indexOf(this.active) + 1];
  }

  close() {
    const button = this.buttons[this.experiments.indexOf(this.active)];
    this.active = null;
    forget("experiment");
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
