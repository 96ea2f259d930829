/** Your own preference file: choose or drop it, see how it was read, fit its reward, audit it. */

import { busyWith } from "../core/busy.js";
import { request } from "../core/data.js";
import { h, say } from "../core/dom.js";
import { arrived } from "../core/load.js";
import { AuditProgress } from "./audit.js";
import { send } from "./sending.js";

const ENDINGS = ".jsonl,.ndjson,.json,.csv,.tsv,.parquet,.arrow,.gz";

let panels = 0;

/**
 * A panel that can stand on any page that has the styles of reports.
 * @param {() => void} [onAudited] Told when an audit that was started here is done.
 * @returns {Element}
 */
export function importPanel(onAudited = () => {}) {
  return new ImportPanel(onAudited).element;
}

class ImportPanel {
  /** @param {() => void} onAudited */
  constructor(onAudited) {
    this.onAudited = onAudited;
    const id = `file-${panels++}`;
    this.input = h("input", { type: "file", id, accept: ENDINGS, on: { change: () => this.chosen(this.input.files) } });
    this.sample = h("button", { type: "button", class: "plain", on: { click: () => this.takeSample() } }, "Use the sample file");
    this.zone = h("div", { class: "drop" },
      h("label", { for: id }, "Choose a preference file, or drop it here"),
      h("div", { class: "drop-row" }, this.input, this.sample),
      h("p", { class: "small quiet" },
        "JSON Lines, JSON, CSV, Parquet or Arrow, also gzipped: pairs with a winner. At most 64 MB and 200,000 rows. It is kept in the lab's folder, and goes nowhere else."));
    for (const event of ["dragenter", "dragover"]) this.zone.addEventListener(event, (e) => this.over(e, true));
    this.zone.addEventListener("dragleave", (e) => this.over(e, false));
    this.zone.addEventListener("drop", (e) => this.dropped(e));
    this.bar = h("progress", { max: 1, "aria-label": "Upload", hidden: true });
    this.said = h("p", { role: "status", class: "import-said" });
    this.wrong = h("p", { role: "alert", class: "error" });
    this.taken = h("div", { class: "taken" });
    this.element = h("div", { class: "import" }, this.zone, this.bar, this.said, this.wrong, this.taken);
  }

  /** @param {DragEvent} event @param {boolean} on */
  over(event, on) {
    event.preventDefault();
    this.zone.classList.toggle("over", on);
  }

  /** @param {DragEvent} event */
  dropped(event) {
    this.over(event, false);
    this.chosen(event.dataTransfer && event.dataTransfer.files);
  }

  /** @param {FileList|null} files */
  async chosen(files) {
    const file = files && files[0];
    if (!file || this.busy) return;
    if (files.length > 1) say(this.wrong, "One file at a time, please.");
    else await this.take(`Sending ${file.name}`, () => send(file, (share) => this.sent(share)));
  }

  async takeSample() {
    if (!this.busy) await this.take("Reading the sample file", () => request("/api/uploads/sample", { method: "POST" }));
  }

  async take(what, job) {
    this.busy = true;
    this.taken.replaceChildren();
    say(this.wrong, "");
    say(this.said, `${what} …`);
    this.bar.removeAttribute("value");
    this.bar.hidden = false;
    try {
      const upload = await job();
      say(this.said, `${upload.name}: ${upload.n_rows.toLocaleString("en")} rows, ${upload.n_votes.toLocaleString("en")} votes.`);
      this.taken.replaceChildren(new Taken(upload, this.onAudited).element);
    } catch (error) {
      say(this.said, "");
      say(this.wrong, error.message);
    }
    this.bar.hidden = true;
    this.busy = false;
    this.input.value = "";
  }

  sent(share) {
    this.bar.value = share;
    if (share === 1) {
      this.bar.removeAttribute("value");
      say(this.said, "Reading it …");
    }
  }
}

/** What can be done with a file that the lab has. */
class Taken {
  /** @param {any} upload @param {() => void} onAudited */
  constructor(upload, onAudited) {
    this.upload = upload;
    this.onAudited = onAudited;
    this.fit = h("button", { type: "button", on: { click: () => this.fitReward() } }, "Fit its text-feature reward");
    this.audit = h("button", { type: "button", class: "primary", on: { click: () => this.startAudit() } }, "Full audit");
    this.said = h("p", { role: "status", class: "import-said" });
    this.auditPlace = h("div", {});
    this.fitPlace = h("div", {});
    this.element = h("div", { class: "panel" },
      h("p", { class: "layout" }, upload.sentence),
      ...upload.left_out.map((reason) => h("p", { class: "small quiet" }, reason)),
      h("div", { class: "import-buttons" }, this.audit, this.fit, this.said),
      this.auditPlace, this.fitPlace);
  }

  async fitReward() {
    await this.doing(this.fit, "Fitting …", async () => {
      const [fitted, { rewardView }] = await Promise.all([
        request(`/api/uploads/${this.upload.upload}/fit`, { method: "POST" }), arrived(import("./reward.js"))]);
      this.fitPlace.replaceChildren(rewardView(fitted));
      say(this.said, "Fitted.");
    });
  }

  async startAudit() {
    await this.doing(this.audit, "", async () => {
      const audit = await request("/api/audits", { body: { upload: this.upload.upload } });
      const progress = new AuditProgress(audit, () => {
        const link = h("a", { class: "button open", href: audit.page }, "Open the report");
        this.auditPlace.append(h("p", {}, link));
        this.onAudited();
      });
      this.auditPlace.replaceChildren(progress.element);
    });
  }

  /** Run a job once at a time; the button waits, and a failure is said. */
  async doing(button, what, job) {
    say(this.said, what);
    try {
      await busyWith(button, job);
    } catch (error) {
      say(this.said, error.message);
    }
  }
}
