/** Files made by the server and saved by the browser. */

import { RequestError } from "../core/data.js";
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
  let response;
  try {
    response = await fetch(`/api/lab/${name}`, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers() } });
  } catch {
    throw new RequestError("The lab's server cannot be reached.", 0);
  }
  if (!response.ok) {
    const said = await response.json().catch(() => null);
    throw new RequestError((said && said.error) || `The server answered ${response.status}.`, response.status);
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return response;
}
