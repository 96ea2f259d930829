/** Steps a slider through its range, one result at a time; where motion is unwanted, a step a press. */

import { h, say } from "../core/dom.js";

const FRAMES = 60;
const WHOLE_MS = 6000;
const SLOWEST_MS = 700;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {{label: string, stops: number[], now: () => number, go: (value: number) => Promise<void>}} what
 * @returns {{element: any, stop: () => void}}
 */
export function player({ label, stops, now, go }) {
  let run = 0;
  let playing = false;
  const word = h("span");
  const element = h("button", { type: "button", class: "play", on: { click: press } }, word);
  const every = Math.max(1, Math.ceil((stops.length - 1) / FRAMES));
  const pause = Math.min(SLOWEST_MS, WHOLE_MS / Math.ceil((stops.length - 1) / every));

  function name() {
    say(word, playing ? "Pause" : still.matches ? "Step" : "Play");
    element.setAttribute("aria-label", `${word.textContent}: ${label}`);
    element.classList.toggle("playing", playing);
  }

  function stop() {
    run += 1;
    playing = false;
    name();
  }

  function following() {
    const value = now();
    const last = stops[stops.length - 1];
    if (value >= last) return stops[0];
    const next = stops.findIndex((one) => one > value);
    return stops[Math.min(next + every - 1, stops.length - 1)];
  }

  async function press() {
    if (playing) return stop();
    if (still.matches) return go(following());
    run += 1;
    const mine = run;
    playing = true;
    name();
    do {
      const next = following();
      const [began] = [performance.now(), await go(next)];
      await new Promise((then) => setTimeout(then, Math.max(16, pause - (performance.now() - began))));
    } while (mine === run && element.isConnected && now() < stops[stops.length - 1]);
    if (mine === run) stop();
    return undefined;
  }

  still.addEventListener("change", name);
  name();
  return { element, stop };
}
