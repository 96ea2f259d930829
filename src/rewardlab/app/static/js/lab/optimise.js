/** Stage 3: a method, a run that plays, and what became of the answers. */

import { reading } from "../charts/numbers.js";
import { h, say } from "../core/dom.js";
import { controlPanel } from "../systems/controls.js";
import { ask } from "./api.js";
import { Outcome } from "./outcome.js";
import { Player } from "./player.js";

const TABLE_ROWS = 40;
/** Where the chart stands below the controls. */
const STACKED = "(max-width: 719px)";
const WATCHED = "Learned reward and true quality as the policy moves away from the reference.";

export class Optimise {
  /**
   * @param {any} boot
   * @param {import("./settings.js").Settings} settings
   * @param {(name: string, value: any) => void} onSet
   * @param {{flush: () => Promise<any>, ran: (run: any) => void}} ties
   *   `flush` sends what waits and gives the state; `ran` is told of every run.
   */
  constructor(boot, settings, onSet, ties) {
    this.boot = boot;
    this.settings = settings;
    this.onSet = onSet;
    this.ties = ties;
    /** @type {any} The run that is shown: settings, result, lines, end. */
    this.shown = null;
    /** @type {any} */
    this.before = null;
    this.busy = false;
    /** @type {any} The module that draws, once it is there. */
    this.drawing = null;
    this.player = new Player((index) => this.point(index), () => this.rest());
    /** @type {any} */
    this.panel = null;
    this.panelOf = "";
    /** @type {any} */
    this.figure = null;
    /** @type {any} */
    this.table = null;
    this.index = 0;
    const button = (label, act, css = "") => h("button", { type: "button", class: css, on: { click: act } }, label);
    this.method = h("select", { id: "set-method", name: "method" }, ...boot.methods.map((one) => h("option", { value: one.key }, one.label)));
    this.method.addEventListener("change", () => this.onSet("method", this.method.value));
    this.about = h("p", { class: "about small quiet" });
    this.own = h("div", { class: "own" });
    this.running = button("Run", () => this.run(), "primary");
    this.pausing = button("Pause", () => this.pause());
    this.stopping = button("Stop", () => this.stop());
    this.sweeping = button("Sweep beta", () => this.sweep());
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.sentence = h("p", { class: "sentence", role: "status" }, "Label some pairs, then run. The reward that was learned climbs; watch whether true quality goes with it.");
    this.outcome = new Outcome(boot.features);
    this.figurePlace = h("div");
    this.empty = h("p", { class: "empty-chart quiet" }, "The run draws here.");
    this.scrub = h("input", { type: "range", id: "scrub", min: 0, max: 1, step: 1, value: 0, disabled: true });
    this.scrub.addEventListener("input", () => this.seek(Number(this.scrub.value)));
    this.chart = h("div", { class: "run-chart" }, this.sentence, this.outcome.readout, this.empty, this.figurePlace,
      h("div", { class: "scrub" }, h("label", { for: "scrub" }, "Look back along the run"), this.scrub));
    this.tablePlace = h("div", { class: "data-place" });
    this.csv = button("Save path (CSV)", () => this.download(), "plain");
    this.sweepPlace = h("div", { class: "sweep" });
    this.showSettings();
  }

  elements() {
    return [
      h("div", { class: "run" },
        h("div", { class: "run-controls" },
          h("div", { class: "field" }, h("label", { for: "set-method" }, "Method"), this.method), this.about, this.own,
          h("div", { class: "row" }, this.running, this.pausing, this.stopping),
          h("div", { class: "row" }, this.sweeping),
          this.error),
        this.chart,
        this.outcome.drift.element),
      this.sweepPlace,
      this.outcome.answers,
      h("div", { class: "run-data" }, this.tablePlace, this.csv),
    ];
  }

  showSettings() {
    const { method } = this.settings;
    this.method.value = method.key;
    say(this.about, method.about);
    if (this.panelOf !== method.key) {
      this.panelOf = method.key;
      this.panel = controlPanel(method.controls, this.settings.chosen, this.onSet);
      this.own.replaceChildren(this.panel.element);
    } else {
      this.panel.set(this.settings.chosen);
    }
    this.buttons();
  }

  buttons() {
    const playing = this.player.playing;
    const paused = this.shown && !playing && this.shown.resting === false;
    this.outcome.readout.dataset.run = playing ? "playing" : paused ? "paused" : this.shown ? "ended" : "none";
    this.running.disabled = this.busy;
    this.pausing.disabled = !(playing || paused);
    this.stopping.disabled = !(playing || paused);
    say(this.pausing, paused ? "Go on" : "Pause");
    this.sweeping.disabled = this.busy;
    this.csv.disabled = !this.shown;
    this.scrub.disabled = !this.shown || playing;
  }

  /** Run with the settings as they are. @param {any} [against] Settings of a run to compare with. */
  async run(against = null) {
    await this.work(this.running, async () => {
      const [{ revision }] = await Promise.all([this.ties.flush(), this.load()]);
      if (against) this.take(await this.fetchRun({ ...against, revision }));
      this.take(await this.fetchRun({ ...this.settings.run(), revision }));
      this.shown.resting = false;
      if (matchMedia(STACKED).matches) this.chart.scrollIntoView();
      this.player.start(this.shown.lines.distance.slice(0, this.shown.end + 1));
    });
  }

  /** Load what draws; it is not needed before the first run. */
  async load() {
    if (this.drawing) return;
    const drawing = await import("./drawing.js").catch(() => {
      throw new Error("What draws the chart could not be loaded. Try again once the server can be reached.");
    });
    if (this.drawing) return;
    this.drawing = drawing;
    this.figure = new drawing.Figure();
    this.table = new drawing.DataTable();
    this.figurePlace.replaceChildren(this.figure.element);
    this.tablePlace.replaceChildren(this.table.element);
  }

  async fetchRun(settings) {
    const result = await ask("run", settings);
    const end = result.path.kl.length - 1;
    return { settings, result, end, lines: new this.drawing.RunLines(result.path, end), resting: true };
  }

  take(run) {
    this.player.pause();
    if (this.shown && sameRun(this.shown.settings, run.settings)) {
      this.shown = run;
      return;
    }
    this.before = this.shown && { lines: this.shown.lines, label: this.earlier(run) };
    this.shown = run;
    this.empty.hidden = true;
    this.scrub.max = String(run.end);
    this.outcome.begin(run);
    this.tabulate(run);
  }

  tabulate(run) {
    this.table.show(this.drawing.tableText(tableOf(run)));
  }

  /** What the run before is called beside the one that follows it. */
  earlier(run) {
    const same = this.shown.settings.method === run.settings.method;
    return `true quality before: ${labelOf(this.boot, this.shown.settings, same)}`;
  }

  point(index) {
    const { result, lines } = this.shown;
    this.index = index;
    this.figure.show(this.drawing.runChart(lines, this.before, index, result.peak), this.shown.resting ? result.sentence : WATCHED);
    this.scrub.value = String(index);
    this.scrub.setAttribute("aria-valuetext", `${result.strength_label} ${reading(result.path.strength[index])}`);
    this.outcome.show(this.shown, index);
  }

  /** The run has come to its end. */
  rest() {
    this.shown.resting = true;
    this.point(this.index);
    say(this.sentence, this.shown.result.sentence);
    this.ties.ran(this.shown.settings);
    this.buttons();
  }

  pause() {
    if (this.player.playing) this.player.pause();
    else this.player.resume();
    this.buttons();
  }

  /** Keep the policy as far as it has come. */
  async stop() {
    this.player.pause();
    const stop = this.index;
    await this.work(this.stopping, async () => {
      this.take(await this.fetchRun({ ...this.shown.settings, stop }));
      this.scrub.max = String(this.shown.end);
      this.tabulate(this.shown);
      this.index = Math.min(stop, this.shown.end);
      this.rest();
    });
  }

  seek(index) {
    if (this.shown) this.point(index);
  }

  async sweep() {
    await this.work(this.sweeping, async () => {
      const [{ revision }] = await Promise.all([this.ties.flush(), this.load()]);
      const { sweepView } = await import("./sweep.js");
      const found = await ask("sweep", { run: { ...this.settings.run(), revision } });
      this.sweepPlace.replaceChildren(sweepView(found, (beta) => this.onSet("beta", beta), this.settings));
      this.sweepPlace.scrollIntoView({ block: "nearest" });
    });
  }

  async download() {
    await this.work(this.csv, async () => {
      const { savePath } = await import("./downloads.js");
      await savePath(this.shown.settings);
    });
  }

  /** Do something with the server; what goes wrong is said beside the buttons. */
  async work(button, job) {
    this.busy = true;
    button.setAttribute("aria-busy", "true");
    this.buttons();
    try {
      await job();
      this.fail("");
    } catch (error) {
      this.fail(error.message);
    } finally {
      this.busy = false;
      button.removeAttribute("aria-busy");
      this.buttons();
    }
  }

  fail(text) {
    say(this.error, text);
    this.error.hidden = !text;
  }
}

function sameRun(a, b) {
  const named = ({ stop, ...rest }) => JSON.stringify(rest);
  return named(a) === named(b);
}

/** A run in a few words: its method, or only its beta where the method goes without saying. */
function labelOf(boot, settings, brief) {
  const method = boot.methods.find((one) => one.key === settings.method);
  const beta = method.controls.some((control) => control.name === "beta") ? `beta ${reading(settings.beta)}` : "";
  return [brief && beta ? "" : method.label.replace(/ \(.*/, ""), beta].filter(Boolean).join(", ");
}

/** Some of a run's points, evenly apart; the CSV has all. */
function tableOf(run) {
  const { path, strength_label } = run.result;
  const n = path.kl.length;
  const shown = Math.min(n, TABLE_ROWS);
  const at = [...new Set(Array.from({ length: shown }, (_, k) => Math.round((k * (n - 1)) / Math.max(shown - 1, 1))))];
  return {
    columns: [strength_label, "√KL", "learned reward", "true quality"],
    rows: at.map((k) => [path.strength[k], run.lines.distance[k], path.proxy[k], path.gold[k]]),
  };
}
