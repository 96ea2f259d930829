/** Opened as a plain file, from which browsers load no modules: show what can be shown. A classic script. */

if (location.protocol === "file:") {
  const plain = document.getElementById("plain");
  if (plain) {
    const drawing = document.createElement("img");
    drawing.src = plain.dataset.drawing || "";
    drawing.alt = document.querySelector("#plain .sentence")?.textContent || "";
    plain.append(drawing);
    plain.hidden = false;
  }
}
