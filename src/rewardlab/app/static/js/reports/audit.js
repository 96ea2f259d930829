/** How far an audit is: its step, a bar, a way to stop it and to start it again. */

import { busyWith } from "../core/busy.js";
import { request } from "../core/data.js";
import { h, say } from "../core/dom.js";

const POLL_MS = 700;
const STATES = { waiting: "Waiting", running: "Running", done: "Done", failed: "Failed", stopped: "Stopped" };

export class AuditProgress {
  /**
   * @param {any} audit As the server says it.
   * @param {(audit: any) => void} onDone
   */
  constructor(audit, onDone) {
    this.onDone = onDone;
    this.state = h("strong", { class: "state" });
    this.step = h("span", { class: "quiet" });
    this.said = h("p", { role: "status", class: "job-said" }, this.state, " ", this.step);
    this.bar = h("progress", { max: 1, "aria-label": "Progress of this step" });
    this.button = h("button", { type: "button", on: { click: () => this.press() } });
    this.element = h("div", { class: "audit-progress" }, this.said, this.bar, this.button);
    this.timer = 0;
    this.show(audit);
  }

  /** @param {any} audit */
  show(audit) {
    clearTimeout(this.timer);
    if (this.audit && this.audit.done) return;
    this.audit = audit;
    const busy = ["waiting", "running"].includes(audit.state);
    say(this.state, `${STATES[audit.state]}.`);
    say(this.step, audit.error || audit.step || (busy ? "Starting" : ""));
    this.said.classList.toggle("failed", audit.state === "failed");
    if (audit.share === null) this.bar.removeAttribute("value");
    else this.bar.value = audit.share;
    this.bar.hidden = !busy;
    this.button.hidden = audit.done;
    say(this.button, busy ? "Stop" : "Start again");
    if (audit.done) this.onDone(audit);
    else if (busy) this.timer = setTimeout(() => this.ask(), POLL_MS);
  }

  /** Ask how far it is, unless the page shows something else by now. */
  async ask() {
    if (!this.element.isConnected) return;
    try {
      this.show(await request(`/api/audits/${this.audit.report}`));
    } catch (error) {
      this.fail(error);
    }
  }

  async press() {
    clearTimeout(this.timer);
    const what = ["waiting", "running"].includes(this.audit.state) ? "stop" : "start";
    try {
      await busyWith(this.button, async () => {
        this.show(await request(`/api/audits/${this.audit.report}/${what}`, { method: "POST" }));
      });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The server may be back soon, and an audit goes on when it is; one that was deleted is not. */
  fail(error) {
    say(this.step, error.message);
    if (error.status === 0) this.timer = setTimeout(() => this.ask(), 3 * POLL_MS);
  }
}
