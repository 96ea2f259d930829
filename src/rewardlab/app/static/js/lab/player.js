/** Plays a computed path at a pace that can be watched. */

const DURATION_MS = 2_600;

export class Player {
  /**
   * @param {(index: number) => void} onPoint For every point that is reached.
   * @param {(ended: boolean) => void} onRest When it pauses, or has ended.
   */
  constructor(onPoint, onRest) {
    this.onPoint = onPoint;
    this.onRest = onRest;
    this.pace = [0];
    this.index = 0;
    this.progress = 0;
    this.playing = false;
    this.frame = 0;
  }

  /** @param {number[]} distance How far the policy is at each point. */
  start(distance) {
    this.pause();
    this.pace = paceOf(distance);
    this.progress = 0;
    this.index = 0;
    this.onPoint(0);
    if (document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) this.finish();
    else this.resume();
  }

  resume() {
    this.playing = true;
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.progress = Math.min(1, this.progress + Math.max(0, now - before) / DURATION_MS);
      before = now;
      let next = this.index;
      while (next < this.last && this.pace[next + 1] <= this.progress) next += 1;
      if (next !== this.index) {
        this.index = next;
        this.onPoint(next);
      }
      if (this.progress >= 1 || this.index >= this.last) this.finish();
      else this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
  }

  finish() {
    this.pause();
    this.progress = 1;
    this.index = this.last;
    this.onPoint(this.last);
    this.onRest(true);
  }

  get last() {
    return this.pace.length - 1;
  }
}

/** When each point is reached, from 0 to 1: half by the count of points, half by the way covered. */
function paceOf(distance) {
  const way = [0];
  for (let k = 1; k < distance.length; k += 1) way.push(way[k - 1] + Math.abs(distance[k] - distance[k - 1]));
  const whole = way[way.length - 1] || 1;
  const last = distance.length - 1 || 1;
  return way.map((covered, k) => 0.35 * (k / last) + 0.65 * (covered / whole));
}
