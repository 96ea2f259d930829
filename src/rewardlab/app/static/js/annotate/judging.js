/** The controls of a judgement: which side, how much better, and why. */

import { h, say } from "../core/dom.js";
import { grouped } from "../core/words.js";

export const VERDICTS = [
  ["left", "A", "A is better"],
  ["tie", "T", "Tie"],
  ["right", "B", "B is better"],
  ["both_bad", "X", "Both bad"],
  ["skip", "S", "Skip"],
];
export const STRENGTHS = ["slightly", "clearly", "much"];
const LONGEST_REASON = 4_000;

/** What was said, in words. @param {{outcome: string, strength: number|null}} label */
export function inWords({ outcome, strength }) {
  if (outcome === "skip") return "Skipped";
  const [, , words] = VERDICTS.find(([name]) => name === outcome) || ["", "", outcome];
  return strength ? `${words}, ${STRENGTHS[strength - 1]}` : words;
}

export class Judging {
  /** @param {(outcome: string) => void} judge @param {() => void} undo @param {() => void} onDraft */
  constructor(judge, undo, onDraft) {
    this.onDraft = onDraft;
    /** @type {number|null} */
    this.strength = null;
    this.verdicts = VERDICTS.map(([outcome, key, label]) => h("button", {
      type: "button", "data-outcome": outcome, "aria-keyshortcuts": key, disabled: true, on: { click: () => judge(outcome) },
    }, h("span", {}, label), h("kbd", {}, key)));
    this.undoing = h("button", { type: "button", "data-undo": true, "aria-keyshortcuts": "U", on: { click: undo } }, h("span", {}, "Undo"), h("kbd", {}, "U"));
    this.strengths = STRENGTHS.map((word, k) => h("button", {
      type: "button", "aria-pressed": "false", "aria-keyshortcuts": String(k + 1), on: { click: () => this.setStrength(k + 1) },
    }, h("span", {}, word), h("kbd", {}, k + 1)));
    this.reason = h("textarea", { id: "reason", rows: 1, maxlength: LONGEST_REASON, dir: "auto", "aria-keyshortcuts": "R", placeholder: "optional; Escape leaves" });
    this.reason.addEventListener("input", () => { this.grow(); onDraft(); });
    this.reason.addEventListener("keydown", (event) => { if (event.key === "Escape") this.reason.blur(); });
    this.element = h("div", { class: "judging" },
      h("div", { class: "verdicts", role: "group", "aria-label": "Your judgement" }, ...this.verdicts, this.undoing),
      h("div", { class: "details" },
        h("div", { class: "strengths", role: "group", "aria-labelledby": "strength-label" }, h("span", { id: "strength-label" }, "How much better"), ...this.strengths),
        h("div", { class: "reason" }, h("label", { for: "reason" }, "Reason ", h("kbd", {}, "R")), this.reason)));
  }

  /** @param {number|null} strength The one that is set is taken back. */
  setStrength(strength) {
    this.strength = this.strength === strength ? null : strength;
    this.strengths.forEach((button, k) => button.setAttribute("aria-pressed", String(this.strength === k + 1)));
    this.onDraft();
  }

  /** @param {{strength: number|null, reason: string}} draft */
  show({ strength, reason }) {
    this.strength = strength;
    this.strengths.forEach((button, k) => button.setAttribute("aria-pressed", String(strength === k + 1)));
    this.reason.value = reason;
    this.grow();
  }

  grow() {
    this.reason.style.height = "auto";
    if (this.reason.value) this.reason.style.height = `${Math.min(this.reason.scrollHeight + 2, 140)}px`;
  }

  /** @param {boolean} on */
  enable(on) {
    for (const button of [...this.verdicts, ...this.strengths, this.reason]) button.disabled = !on;
  }
}

/** How far things are, and what waits. */
export class Standing {
  constructor() {
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Judged by you" });
    this.counts = h("span", { class: "counts" });
    this.saved = h("span", { class: "saved" });
    this.element = h("p", { class: "standing" }, this.bar, this.counts, " ", this.saved);
  }

  /** @param {{judged: number, left: number}|null} progress @param {{judged: number, left: number}} since What has been added since. */
  showProgress(progress, since) {
    if (!progress) return;
    const judged = Math.max(0, progress.judged + since.judged);
    const left = Math.max(0, progress.left + since.left);
    this.bar.max = Math.max(1, judged + left);
    this.bar.value = judged;
    say(this.counts, `${grouped(judged)} judged, ${grouped(left)} left for you`);
  }

  /** @param {number} waiting @param {boolean} late */
  showWaiting(waiting, late) {
    say(this.saved, late && waiting ? `${grouped(waiting)} kept here, waiting for the server` : waiting ? "saving" : "all saved");
    this.saved.toggleAttribute("data-late", Boolean(late && waiting));
    this.saved.setAttribute("aria-live", late ? "polite" : "off");
  }
}
