/** Talking to the server: the data a page starts with, JSON requests, and only the newest of many. */

/** What the server put into the page. @returns {any} */
export function boot() {
  const element = document.getElementById("boot");
  return element ? JSON.parse(element.textContent || "null") : null;
}

/** A refusal by the server, or its silence. `status` is 0 where it could not be reached. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** What went wrong where there is no answer at all. */
export function unreachable() {
  return new RequestError("The lab's server cannot be reached.", 0);
}

/** A refusal in the server's words. @param {any} said What it answered, read as JSON. @param {number} status */
export function refusal(said, status) {
  return new RequestError((said && said.error) || `The server answered ${status}.`, status);
}

/**
 * JSON from an address.
 * @param {string} address
 * @param {Asked} [options]
 * @returns {Promise<any>}
 */
export async function request(address, options) {
  const response = await respond(address, options);
  try {
    return await response.json();
  } catch {
    throw unreachable();
  }
}

/**
 * @typedef {{method?: string, body?: any, headers?: Record<string, string>, signal?: AbortSignal}} Asked
 *   `body` goes out as JSON.
 */

/**
 * An answer that is no refusal, its body not yet read.
 * @param {string} address
 * @param {Asked} [options]
 * @returns {Promise<Response>}
 */
export async function respond(address, options = {}) {
  const { body, headers = {}, ...rest } = options;
  const sent = body === undefined
    ? { ...rest, headers }
    : { method: "POST", ...rest, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(address, sent);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (!response.ok) throw refusal(await response.json().catch(() => null), response.status);
  return response;
}

/**
 * Runs one job at a time and only ever the newest of those that wait: a slider can be dragged as
 * fast as a hand moves, and every drag still ends at its last value.
 */
export class Newest {
  /** @param {(input: any) => Promise<void>} job */
  constructor(job) {
    this.job = job;
    this.busy = false;
    this.waiting = null;
  }

  /** @param {any} input */
  async ask(input) {
    this.waiting = { input };
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.waiting) {
        const next = this.waiting;
        this.waiting = null;
        await this.job(next.input);
      }
    } finally {
      this.busy = false;
    }
  }
}
