/** Files made by the server and saved by the browser. */

import { respond } from "../core/data.js";
import { headers } from "./api.js";

/** Labels as JSON lines. @returns {Promise<string>} What was left out, in words. */
export async function saveLabels() {
  const response = await save("labels.jsonl", {}, "labels.jsonl");
  const left = Number(response.headers.get("X-Left-Out") || 0);
  return left ? `Saved; ${left} left out: ${response.headers.get("X-Left-Out-Reason") || "the format cannot hold them"}.` : "Saved, nothing left out.";
}

/** Every point of a run as CSV. @param {any} run */
export async function savePath(run) {
  await save("path.csv", run, "path.csv");
}

async function save(name, body, filename) {
  const response = await respond(`/api/lab/${name}`, { body, headers: headers() });
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return response;
}
