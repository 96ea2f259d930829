/** The chart of a run: learned reward and true quality over the distance from the reference. */

const X_LABEL = "distance from the reference policy, √KL (KL in nats)";
const HEIGHT = 330;

/** A run's points in the order of their distance, as a chart's lines need them. */
export class RunLines {
  /** @param {any} path @param {number} end Index of its last point. */
  constructor(path, end) {
    this.distance = path.kl.map((kl) => Math.sqrt(Math.max(kl, 0)));
    this.order = this.distance.map((_, k) => k).slice(0, end + 1).sort((a, b) => this.distance[a] - this.distance[b]);
    this.x = this.order.map((k) => this.distance[k]);
    this.path = path;
  }

  /** Values of one line as far as the run has come. @param {"proxy"|"gold"} name @param {number} index */
  upTo(name, index) {
    return this.order.map((k) => (k <= index ? this.path[name][k] : null));
  }
}

/**
 * @param {RunLines} now
 * @param {{lines: RunLines, label: string}|null} before An earlier run to compare with.
 * @param {number} index How far the run has come.
 * @param {any} peak Where true quality is highest.
 */
export function runChart(now, before, index, peak) {
  // A line of a single point would be drawn as a dot.
  const reached = Math.max(index, 1);
  const line = (label, x, y, tone, stroke) => ({ label, x, y, low: null, high: null, tone, stroke });
  const lines = [
    line("learned reward", now.x, now.upTo("proxy", reached), "proxy", "solid"),
    line("true quality", now.x, now.upTo("gold", reached), "gold", "dashed"),
  ];
  const seen = [now.path.proxy, now.path.gold];
  if (before) {
    const { x } = before.lines;
    lines.push(line(before.label, x, before.lines.upTo("gold", Infinity), "other", "dotted"));
    seen.push(before.lines.upTo("gold", Infinity));
  }
  const passed = index >= peak.index;
  const far = Math.max(...now.x, ...(before ? before.lines.x : [0]), 0.5);
  return {
    kind: "LineChart",
    panels: [{ y_label: "reward and quality, in points", lines, percent: false, height: HEIGHT, y_range: rangeOf(seen.flat()) }],
    x_label: X_LABEL,
    x_range: [0, 1.03 * far],
    log_x: false,
    mark: { x: passed ? peak.sqrt_kl : null, low: null, high: null, label: passed ? "true quality is highest" : "" },
  };
}

function rangeOf(values) {
  const known = values.filter((v) => v !== null && Number.isFinite(v));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = 0.07 * (high - low || 1);
  return [low - room, high + room];
}
