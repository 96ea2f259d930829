/** What draws runs: it comes with the first of them, since the page can be used before. */

export { Figure, fetchKind } from "../charts/chart.js";
export { DataTable } from "../systems/figures.js";
export { RunLines, runChart } from "./run_chart.js";
export { tableText } from "./table.js";
