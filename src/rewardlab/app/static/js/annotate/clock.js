/** For how long a pair was looked at: while the page is hidden, time stands still. */

export class Clock {
  constructor() {
    this.spent = 0;
    this.since = performance.now();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.spent += performance.now() - this.since;
      this.since = performance.now();
    });
  }

  restart() {
    this.spent = 0;
    this.since = performance.now();
  }

  /** In seconds, to a tenth. */
  seconds() {
    const running = document.hidden ? 0 : performance.now() - this.since;
    return Math.round((this.spent + running) / 100) / 10;
  }
}
