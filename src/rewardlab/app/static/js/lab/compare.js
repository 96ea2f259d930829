/** Stage 1: two answers side by side, and a judgement by button or key. */

import { h, say } from "../core/dom.js";
import { keep, kept } from "../core/keep.js";
import { shortcut } from "../core/keys.js";
import { AnswerCard } from "./cards.js";

const VOTES = [
  ["a", "A", "A is better"],
  ["b", "B", "B is better"],
  ["tie", "T", "Tie"],
  ["both_bad", "X", "Both bad"],
  ["skip", "S", "Skip"],
];
const NAMES = { label: "your last judgement", auto: "the batch", undo: "the undo", clear: "the clearing" };
const REMEMBERED = 200;

export class Compare {
  /**
   * @param {any} boot
   * @param {import("./settings.js").Settings} settings
   * @param {import("./pairs.js").Pairs} pairs
   * @param {import("../core/outbox.js").Outbox} outbox
   * @param {(name: string, value: any) => void} onSet
   */
  constructor(boot, settings, pairs, outbox, onSet) {
    this.settings = settings;
    this.pairs = pairs;
    this.outbox = outbox;
    /** @type {any[]} What each action of this page could show again when it is taken back. */
    this.done = [];
    this.prompt = select("prompt", "Question", boot.prompts.map((one) => [one.key, one.question]), onSet);
    this.writer = select("writer", "Answers written by", [["reference", "the reference policy"], ["policy", "the policy of the last run"]], onSet);
    this.writerNote = h("p", { class: "small quiet", id: "writer-note" });
    this.writer.input.setAttribute("aria-describedby", "writer-note");
    this.cards = [new AnswerCard("Answer A", boot.features), new AnswerCard("Answer B", boot.features)];
    this.buttons = VOTES.map(([outcome, key, label]) => h("button", {
      type: "button", "data-outcome": outcome, "aria-keyshortcuts": key, on: { click: () => this.vote(outcome) },
    }, h("span", {}, label), h("kbd", {}, key)));
    this.undoing = h("button", { type: "button", "aria-keyshortcuts": "U", on: { click: () => this.undo() } },
      h("span", {}, "Undo"), h("kbd", {}, "U"));
    this.counted = h("span", { "data-labels": "0", role: "status" });
    this.saved = h("span", { class: "saved" });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.told = h("p", { class: "small quiet told", role: "status" });
    this.reason = h("p", { class: "error", role: "alert" });
    const button = (label, act) => h("button", { type: "button", on: { click: act } }, label);
    this.refused = h("div", { class: "refused", hidden: true }, this.reason,
      h("div", { class: "row" }, button("Try again", () => outbox.retry()), button("Drop it", () => outbox.drop())));
    this.keys = h("input", { type: "checkbox", id: "keys" });
    this.keys.checked = kept("keys") !== "off";
    this.keys.addEventListener("change", () => keep("keys", this.keys.checked ? "on" : "off"));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** The parts of the stage, from top to bottom. */
  elements() {
    return [
      h("div", { class: "fields" }, this.prompt.element, this.writer.element, this.writerNote),
      h("div", { class: "pair" }, this.cards[0].element, this.cards[1].element),
      h("div", { class: "votes", role: "group", "aria-label": "Your judgement" }, ...this.buttons, this.undoing),
      h("div", { class: "tally" },
        h("p", {}, this.counted, " ", this.saved),
        h("p", { class: "keys" }, this.keys, h("label", { for: "keys" }, "letter keys judge"))),
      this.error,
      this.refused,
      this.told,
    ];
  }

  vote(outcome) {
    const pair = this.pairs.current;
    if (!pair) return;
    this.done.push(pair);
    if (this.done.length > REMEMBERED) this.done.shift();
    this.pairs.advance();
    this.outbox.add({ kind: "label", prompt: this.pairs.question.prompt, a: pair.a.answer, b: pair.b.answer, outcome });
    this.show();
  }

  /** An action of another kind, which shows no pair again. */
  acted() {
    this.done.push(null);
  }

  undo() {
    const pair = this.done.pop();
    if (pair) this.pairs.back(pair);
    this.outbox.add({ kind: "undo" });
    this.show();
  }

  key(event) {
    const key = this.keys.checked ? shortcut(event) : "";
    const vote = VOTES.find(([, letter]) => letter === key);
    if (!vote && key !== "U") return;
    event.preventDefault();
    if (vote) this.vote(vote[0]);
    else this.undo();
  }

  /** @param {any} run The run whose policy could write, or null. */
  showSettings(run) {
    const { values } = this.settings;
    this.prompt.input.value = values.prompt;
    const policy = this.writer.input.options[1];
    policy.disabled = !run;
    this.writer.input.value = values.writer === "policy" && run ? "policy" : "reference";
    say(this.writerNote, run
      ? "The last run's policy can write answers too: label them, fit, and run again."
      : "The policy can write answers once you have run an optimiser in stage 3.");
  }

  show() {
    const pair = this.pairs.current;
    const instead = this.pairs.error
      || (navigator.onLine ? "The next pair is on its way." : "No further pairs without a network. Your labels are kept; pairs come back with it.");
    this.cards[0].show(pair && pair.a, instead);
    this.cards[1].show(pair && pair.b, instead);
    for (const card of this.cards) card.against(pair && pair.a, pair && pair.b);
    for (const button of this.buttons) button.disabled = !pair;
  }

  /** @param {number} n_labels @param {number} waiting */
  count(n_labels, waiting) {
    this.counted.dataset.labels = String(n_labels);
    say(this.counted, `Labels: ${n_labels}`);
    const late = this.outbox.failure && waiting;
    say(this.saved, late ? `${waiting} waiting for the server, kept here` : waiting ? "saving" : "saved");
    this.saved.toggleAttribute("data-late", Boolean(late));
    // That each label is saved need not be heard; that some are not, must.
    this.saved.setAttribute("aria-live", late ? "polite" : "off");
    this.showRefused(this.outbox.refused());
  }

  /** @param {{event: any, reason: string}[]} refused */
  showRefused(refused) {
    this.refused.hidden = !refused.length;
    if (!refused.length) return;
    const what = refused.length === 1 ? NAMES[refused[0].event.kind] : `${refused.length} actions`;
    say(this.reason, `The server did not take ${what}: ${refused[refused.length - 1].reason}`);
  }

  /** @param {string} text What went wrong; "" for nothing. */
  fail(text) {
    say(this.error, text);
    this.error.hidden = !text;
  }

  /** @param {string} text */
  tell(text) {
    this.fail("");
    say(this.told, text);
  }
}

function select(name, label, options, onSet) {
  const input = h("select", { id: `set-${name}`, name }, ...options.map(([value, text]) => h("option", { value }, text)));
  input.addEventListener("change", () => onSet(name, input.value));
  return { input, element: h("div", { class: "field" }, h("label", { for: input.id }, label), input) };
}
