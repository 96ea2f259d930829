/** Buttons that are out of use while their job runs. */

/**
 * Run a job with its button out of use; browsers take the focus from such a button, and it gets it back.
 * @param {any} button
 * @param {() => Promise<void>} job
 */
export async function busyWith(button, job) {
  const focused = document.activeElement === button;
  button.disabled = true;
  try {
    await job();
  } finally {
    button.disabled = false;
    if (focused) giveFocus(button);
  }
}

/** Give an element the focus that a button out of use has lost, unless somebody has moved on. */
export function giveFocus(element) {
  /** @type {any} */
  const active = document.activeElement;
  if (!active || active === document.body || active.disabled) element.focus({ preventScroll: true });
}
