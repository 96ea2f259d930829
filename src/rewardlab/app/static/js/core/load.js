/** Scripts and styles that a page needs only later: each is added to it once. */

const ABSENT = "A part of this page could not be loaded. Try again once the server can be reached.";

/** @type {Map<string, Promise<void>>} */
const coming = new Map();

/**
 * Wait until a script or a style sheet is part of the page.
 * @param {string} path Below the folder of all static files, such as "css/charts.css".
 * @returns {Promise<void>} Rejects where it cannot be fetched; it can then be asked for again.
 */
export function load(path) {
  const { href } = new URL(`../../${path}`, import.meta.url);
  if (!coming.has(href)) {
    coming.set(href, added(href).catch((error) => {
      coming.delete(href);
      throw error;
    }));
  }
  return /** @type {Promise<void>} */ (coming.get(href));
}

/**
 * What a dynamic import gives; its failure in words for those who use the page.
 * @template T
 * @param {Promise<T>} module
 * @returns {Promise<T>}
 */
export function arrived(module) {
  return module.catch(() => {
    throw new Error(ABSENT);
  });
}

/** @param {string} href @returns {Promise<void>} */
function added(href) {
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return Promise.resolve();
  const element = href.endsWith(".css")
    ? Object.assign(document.createElement("link"), { rel: "stylesheet", href })
    : Object.assign(document.createElement("script"), { src: href });
  return new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve());
    element.addEventListener("error", () => {
      element.remove();
      reject(new Error(ABSENT));
    });
    document.head.append(element);
  });
}
