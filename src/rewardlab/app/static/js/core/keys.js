/** Keys that do something wherever on a page the focus is. */

const NO_TEXT = ["range", "checkbox", "radio", "button"];

/**
 * A pressed key, such as "A", "?" or "Enter"; "" where it is not for the page: it is held down, belongs
 * to a shortcut of the browser, or goes to a field that takes text.
 * @param {KeyboardEvent} event
 */
export function shortcut(event) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key !== "?") || takesKeys(event.target)) return "";
  return event.key.length === 1 ? event.key.toUpperCase() : event.key;
}

/** @param {EventTarget|null} element */
function takesKeys(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element instanceof HTMLInputElement) return !NO_TEXT.includes(element.type);
  return element.isContentEditable || ["SELECT", "TEXTAREA"].includes(element.tagName);
}
