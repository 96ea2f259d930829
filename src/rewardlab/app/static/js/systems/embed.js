/**
 * Inside another page's frame: tell that page how high this one is, whenever it changes.
 *
 * The page around listens by
 *   addEventListener("message", (event) => {
 *     if (event.source === frame.contentWindow && event.data.rewardlab === "height")
 *       frame.style.height = `${event.data.height}px`;
 *   });
 */
export function tellHeight() {
  if (parent === window) return;
  let told = 0;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height !== told) parent.postMessage({ rewardlab: "height", height }, "*");
    told = height;
  };
  new ResizeObserver(tell).observe(document.body);
  tell();
}
