/** What draws runs: it comes with the first of them, since the page can be used before. */

/** @param {string} name */
const vendor = (name) => new URL(`../../vendor/${name}`, import.meta.url).href;

/**
 * Add an element to the page's head and wait until what it names has come.
 * @param {string} tag @param {Record<string, string>} properties
 */
function arrival(tag, properties) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => {
      element.remove();
      reject(new Error(`${tag} did not come`));
    });
    document.head.append(element);
  });
}

await Promise.all([
  arrival("script", { src: vendor("uPlot.iife.min.js") }),
  arrival("link", { rel: "stylesheet", href: vendor("uPlot.min.css") }),
]);

// Charts look for uPlot as soon as they are imported, and so must come after it.
const [{ Figure }, { DataTable }, { RunLines, runChart }, { tableText }] = await Promise.all([
  import("../charts/chart.js"), import("../systems/figures.js"), import("./run_chart.js"), import("./table.js"),
]);

export { DataTable, Figure, RunLines, runChart, tableText };
