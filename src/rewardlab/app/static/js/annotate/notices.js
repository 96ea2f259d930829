/** What stands instead of a pair or above it: nothing to judge, no way to the server, what was refused. */

import { h, say } from "../core/dom.js";
import { counted, grouped } from "../core/words.js";

const CLOSED = 401;
const SOMEBODY_ELSE = 409;

export class Notices {
  /**
   * @param {import("../core/outbox.js").Outbox} outbox
   * @param {{again: () => void, goOn: () => void, skipped: () => void}} acts
   */
  constructor(outbox, acts) {
    this.title = h("h2", {});
    this.text = h("p", {});
    this.again = button("Ask again", acts.again);
    this.goOn = button("Go on", acts.goOn);
    this.skipped = button("Show what you skipped", acts.skipped);
    this.instead = h("div", { class: "instead", role: "status", hidden: true }, this.title, this.text,
      h("div", { class: "row" }, this.goOn, this.again, this.skipped));
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.reason = h("p", {});
    this.refused = h("div", { class: "trouble", role: "alert", hidden: true }, this.reason,
      h("div", { class: "row" }, button("Send again", () => outbox.retry()), button("Drop", () => outbox.drop())));
    this.outbox = outbox;
    this.stranger = h("div", { class: "trouble", role: "alert", hidden: true });
    this.element = h("div", {}, this.stranger, this.trouble, this.refused, this.instead);
  }

  /** @param {import("./queue.js").Queue} queue @param {number} waiting */
  show(queue, waiting) {
    const failure = this.outbox.failure || queue.failure;
    this.showTrouble(failure, waiting, Boolean(queue.current));
    this.showRefused(this.outbox.refused());
    this.instead.hidden = !this.stranger.hidden || Boolean(queue.current) || Boolean(queue.filling && !queue.progress);
    if (!this.instead.hidden) this.showInstead(queue, waiting, failure);
  }

  /**
   * A link that opens nothing, where the browser is open to somebody already.
   * @param {string} why @param {string} annotator @param {() => void} goOn
   */
  showStranger(why, annotator, goOn) {
    const go = button(`Go on as ${annotator}`, () => {
      this.stranger.hidden = true;
      goOn();
    });
    this.stranger.replaceChildren(h("p", {}, `This link opens nothing: ${why}.`), go);
    this.stranger.hidden = false;
  }

  /** Where the keys go once the pair is gone. */
  focus() {
    const first = [this.goOn, this.again].find((one) => !one.hidden);
    if (first) first.focus();
  }

  /** @param {any} failure @param {number} waiting @param {boolean} working */
  showTrouble(failure, waiting, working) {
    const keeps = waiting ? ` ${count(waiting)} kept in this browser and sent later.` : "";
    const said = !failure ? ""
      : failure.status === CLOSED ? `Your link does not open this project any more.${keeps} Ask whoever sent you here for a new one.`
      : failure.status === SOMEBODY_ELSE ? `${failure.message}.${waiting ? ` ${count(waiting)} kept for you until then.` : ""}`
      : failure.status === 0 || failure.name === "TimeoutError"
        ? `The server cannot be reached.${keeps}${working ? " You can go on with the pairs that are here." : ""}`
        : `${failure.message}.${keeps}`;
    say(this.trouble, said);
    this.trouble.hidden = !said;
  }

  /** @param {{event: any, reason: string}[]} refused */
  showRefused(refused) {
    this.refused.hidden = !refused.length;
    if (!refused.length) return;
    const what = refused.length === 1 ? "a judgement of yours" : `${grouped(refused.length)} judgements of yours`;
    say(this.reason, `The server did not take ${what}: ${refused[refused.length - 1].reason}.`);
  }

  /** @param {import("./queue.js").Queue} queue @param {number} waiting @param {any} failure */
  showInstead(queue, waiting, failure) {
    const { judged = 0, skipped = 0, elsewhere = 0 } = queue.progress || {};
    const [title, text] = queue.stopped
      ? ["Stopped", waiting ? `${count(waiting)} still on their way; leave this page open until all is saved.` : "All is saved. The pairs that you had go to others; this page can be closed."]
      : failure ? ["No pairs at the moment", "They come back with the server. This page asks again by itself."]
      : elsewhere ? ["Nothing is free at the moment", `Others have the last ${elsewhere === 1 ? "pair" : `${grouped(elsewhere)} pairs`}. What they do not judge comes back. This page asks again every half minute.`]
      : skipped ? ["Nothing else is left", `You judged ${grouped(judged)} and skipped ${grouped(skipped)}. You can still judge what you skipped.`]
      : ["All done. Thank you.", `You judged ${counted(judged, "pair")}; no more are left for you.`];
    say(this.title, title);
    say(this.text, text);
    this.goOn.hidden = !queue.stopped;
    this.again.hidden = queue.stopped;
    this.skipped.hidden = queue.stopped || !skipped || Boolean(failure);
  }
}

function count(n) {
  return counted(n, "judgement is", "judgements are");
}

function button(label, act) {
  return h("button", { type: "button", on: { click: act } }, label);
}
