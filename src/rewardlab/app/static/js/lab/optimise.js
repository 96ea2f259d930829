/** Stage 3: a method, a run that plays, and what became of the answers. */

import { reading } from "../charts/numbers.js";
import { giveFocus } from "../core/busy.js";
import { h, say } from "../core/dom.js";
import { arrived } from "../core/load.js";
import { controlPanel } from "../systems/controls.js";
import { ask } from "./api.js";
import { Outcome } from "./outcome.js";
import { Player } from "./player.js";

const TABLE_ROWS = 40;
/** Where the chart stands below the controls. */
export const STACKED = "(max-width: 719px)";
const WATCHED = "Learned reward and true quality as the policy moves away from the reference.";

export class Optimise {
  /**
   * @param {any} boot
   * @param {import("./settings.js").Settings} settings
   * @param {(name: string, value: any) => void} onSet
   * @param {{flush: () => Promise<any>, ran: (shown: any, before: any) => void}} ties
   *   `flush` sends what waits and gives the state; `ran` is told of every run that rests.
   */
  constructor(boot, settings, onSet, ties) {
    this.boot = boot;
    this.settings = settings;
    this.onSet = onSet;
    this.ties = ties;
    /** @type {any} The run that is shown: settings, result, lines, end, and which experiment made it. */
    this.shown = null;
    /** @type {any} The run whose true quality stands beside it: settings, lines, label. */
    this.before = null;
    this.busy = false;
    /** Counts what was started, so that what comes back late is let go. */
    this.turn = 0;
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
    /** @type {any} */
    this.swept = null;
    this.index = 0;
    const button = (label, act, css = "") => h("button", { type: "button", class: css, on: { click: act } }, label);
    this.method = h("select", { id: "set-method", name: "method" }, ...boot.methods.map((one) => h("option", { value: one.key }, one.label)));
    this.method.addEventListener("change", () => this.onSet("method", this.method.value));
    // Below the buttons, since it is of many lengths and they should stay where they are.
    this.about = h("p", { class: "about small quiet", id: "about-method" });
    this.method.setAttribute("aria-describedby", "about-method");
    this.own = h("div", { class: "own" });
    this.running = button("Run", () => this.run(), "primary");
    this.pausing = button("Pause", () => this.pause());
    this.stopping = button("Stop", () => this.stop());
    this.sweeping = button("Sweep beta", () => this.sweep());
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.played = 0;
    this.sentence = h("p", { class: "sentence", role: "status" }, "Label some pairs, then run. The reward that was learned climbs; watch whether true quality goes with it.");
    this.outcome = new Outcome(boot.features);
    this.figurePlace = h("div");
    this.empty = h("p", { class: "empty-chart quiet" }, "The run draws here.");
    this.scrub = h("input", { type: "range", id: "scrub", min: 0, max: 1, step: 1, value: 0, disabled: true });
    this.scrub.addEventListener("input", () => this.seek(Number(this.scrub.value)));
    /** Where an experiment's text stands when the stage is stacked. */
    this.notePlace = h("div");
    this.chart = h("div", { class: "run-chart" }, this.notePlace, this.sentence, this.outcome.readout, this.empty, this.figurePlace,
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
          h("div", { class: "field" }, h("label", { for: "set-method" }, "Method"), this.method), this.own,
          h("div", { class: "row" }, this.running, this.pausing, this.stopping),
          h("div", { class: "row" }, this.sweeping),
          this.error, this.about),
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
    this.csv.disabled = this.busy || !this.shown;
    this.scrub.disabled = !this.shown || playing;
  }

  /** Run with the settings as they are. */
  async run() {
    await this.work(this.running, async (current) => {
      const [{ revision }] = await Promise.all([this.ties.flush(), this.load()]);
      const run = await this.fetchRun({ ...this.settings.run(), revision });
      if (current()) this.play(run);
    });
  }

  /** Run as an experiment has set it: nothing of other runs stays. @param {any} experiment */
  async runGuided({ number, beside }) {
    await this.work(this.running, async (current) => {
      const [{ revision }] = await Promise.all([this.ties.flush(), this.load()]);
      const settings = { ...this.settings.run(), revision };
      // The labels beside are those before the last two events: a clean start, and a batch.
      const other = beside && { ...settings, ...beside.run, seed: settings.seed, revision: beside.rater ? revision - 2 : revision };
      const [before, run] = await Promise.all([other && this.fetchRun(other), this.fetchRun(settings)]);
      if (!current()) return;
      this.shown = null;
      this.before = beside && { ...before, label: `true quality, ${beside.name}` };
      this.play({ ...run, guided: number });
    });
  }

  play(run) {
    this.take(run);
    this.outcome.readout.dataset.runs = String(++this.played);
    this.shown.resting = false;
    say(this.sentence, WATCHED);
    if (matchMedia(STACKED).matches && !run.guided) this.chart.scrollIntoView();
    this.player.start(this.shown.lines.distance.slice(0, this.shown.end + 1));
  }

  /**
   * Show a run of an earlier visit again, at its end.
   * @param {{run: any, guided: number|null, beside: {settings: any, label: string}|null}} kept
   */
  async restore({ run: settings, guided, beside }) {
    const turn = ++this.turn;
    await this.load();
    const [before, run] = await Promise.all([beside && this.fetchRun(beside.settings), this.fetchRun(settings)]);
    if (turn !== this.turn || this.shown) return;
    this.take({ ...run, guided });
    this.before = beside && { ...before, label: beside.label };
    this.index = run.end;
    this.rest();
  }

  /** Load what draws; it is not needed before the first run. */
  async load() {
    if (this.drawing) return;
    const drawing = await arrived(import("./drawing.js"));
    await drawing.fetchKind("LineChart");
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
      this.shown = { ...run, guided: run.settings.stop === null ? this.shown.guided : null };
      return;
    }
    if (this.shown) this.before = { ...this.shown, label: this.earlier(run) };
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
    const { settings } = this.shown;
    const labels = settings.revision === run.settings.revision ? "" : ", other labels";
    return `true quality before: ${labelOf(this.boot, settings, settings.method === run.settings.method)}${labels}`;
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
    // Asked before the button is out of use: some browsers take the focus from it at once.
    const focused = this.pausing === document.activeElement;
    this.shown.resting = true;
    this.point(this.index);
    say(this.sentence, this.shown.result.sentence);
    this.ties.ran(this.shown, this.before);
    this.buttons();
    if (focused) giveFocus(this.running);
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
    await this.work(this.stopping, async (current) => {
      const run = await this.fetchRun({ ...this.shown.settings, stop });
      if (!current()) return;
      this.take(run);
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
    await this.work(this.sweeping, async (current) => {
      const [{ revision }] = await Promise.all([this.ties.flush(), this.load()]);
      const { Sweep } = await arrived(import("./sweep.js"));
      const found = await ask("sweep", { run: { ...this.settings.run(), revision } });
      if (!current()) return;
      if (!this.swept) {
        this.swept = new Sweep((beta) => this.onSet("beta", beta), this.settings);
        this.sweepPlace.append(this.swept.element);
      }
      this.swept.show(found);
      this.sweepPlace.scrollIntoView({ block: "nearest" });
    });
  }

  async download() {
    await this.work(this.csv, async () => {
      const { savePath } = await arrived(import("./downloads.js"));
      await savePath(this.shown.settings);
    });
  }

  /**
   * Do something with the server; what goes wrong is said beside the buttons.
   * @param {any} button
   * @param {(current: () => boolean) => Promise<void>} job It asks whether anything was started since.
   */
  async work(button, job) {
    const turn = ++this.turn;
    const current = () => turn === this.turn;
    const focused = document.activeElement === button;
    this.busy = true;
    button.setAttribute("aria-busy", "true");
    this.buttons();
    try {
      await job(current);
      if (current()) this.fail("");
    } catch (error) {
      if (current()) this.fail(error.message);
    } finally {
      if (current()) this.busy = false;
      button.removeAttribute("aria-busy");
      this.buttons();
      if (focused) giveFocus(button.disabled ? this.running : button);
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
