/** Sending a file to the lab. */

import { RequestError, refusal, request, unreachable } from "../core/data.js";

/**
 * Send a file as the body of a request.
 * @param {File} file
 * @param {(share: number) => void} onProgress Told the share that has gone out.
 * @returns {Promise<any>} What the lab read in it.
 */
export async function send(file, onProgress) {
  const { limits } = await request("/api/uploads");
  if (file.size > limits.upload_bytes) {
    const most = Math.floor(limits.upload_bytes / 1e6);
    throw new RequestError(
      `This file has ${(file.size / 1e6).toFixed(0)} MB; the lab takes at most ${most} MB. ` +
      "Compress it with gzip, upload a part of it, or use “rewardlab audit FILE” on the command line, which has no such limit.", 413);
  }
  return sent(`/api/uploads?name=${encodeURIComponent(file.name)}`, file, onProgress);
}

/**
 * Send bytes as the body of a request.
 * @param {string} address
 * @param {Blob} body
 * @param {(share: number) => void} onProgress Told the share that has gone out.
 * @returns {Promise<any>} What the lab answered.
 */
export function sent(address, body, onProgress) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", address);
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.upload.addEventListener("progress", (event) => onProgress(event.total ? event.loaded / event.total : 0));
    sending.addEventListener("load", () => {
      const said = parsed(sending.responseText);
      if (sending.status < 300) resolve(said);
      else reject(refusal(said, sending.status));
    });
    sending.addEventListener("error", () => reject(unreachable()));
    sending.send(body);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
