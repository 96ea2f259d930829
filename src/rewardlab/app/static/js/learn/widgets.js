/** A system's widget inside a lesson; what draws it is only loaded once one is opened. */

import { queryOf } from "../core/address.js";
import { request } from "../core/data.js";
import { say } from "../core/dom.js";

/** @type {Promise<any>|undefined} */
let drawing;

/** The plotting library, its styles and the widget's modules, once. @param {string} place */
function loaded(place) {
  drawing ||= Promise.all([
    import("../systems/view.js"),
    script(`${place}/vendor/uPlot.iife.min.js`),
    style(`${place}/vendor/uPlot.min.css`),
    style(`${place}/css/charts.css`),
  ]).then(([view]) => view);
  return drawing;
}

function script(src) {
  return added(Object.assign(document.createElement("script"), { src }));
}

function style(href) {
  return added(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
}

function added(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve(element));
    element.addEventListener("error", () => reject(new Error("The widget cannot be loaded.")));
    document.head.append(element);
  });
}

/**
 * Mount a system when its place is opened.
 * @param {any} details
 * @param {string} place Address of the scripts and styles.
 */
export function mountOnOpening(details, place) {
  const name = details.dataset.widget;
  const status = details.querySelector("[role=status]");
  let asked = false;
  details.addEventListener("toggle", async () => {
    if (!details.open || asked) return;
    asked = true;
    say(status, "Loading …");
    try {
      const [view, system, first] = await Promise.all([
        loaded(place), request(`/api/learn/systems/${name}`), request(`/api/systems/${name}/result`),
      ]);
      say(status, "");
      details.append(view.systemView(system, first, (settings, seed) =>
        request(`/api/systems/${name}/result?${queryOf(settings, seed)}`)));
    } catch (error) {
      asked = false;
      drawing = undefined;
      say(status, error.message);
    }
  });
}
