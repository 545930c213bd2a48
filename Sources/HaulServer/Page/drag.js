// Dragging: a download to another place in the list, links from elsewhere onto the page.

import { element } from "./dom.js";
import { isDialogOpen } from "./dialog.js";
import { candidates } from "./links.js";
import { isWriting } from "./shortcuts.js";

const TYPE = "application/x-haul-download";

/// Lets rows be dragged by their grips; `drop(id, next)` gets the row before which a download was dropped, undefined
/// below the last one that is shown.
export function listenToDrags(list, drop) {
    const mark = element("div", { class: "mark" });
    let dragged;
    list.space.addEventListener("dragstart", (event) => {
        const row = event.target.closest?.(".row");
        if (!row || !list.isOrdered) return event.preventDefault();
        dragged = Number(row.dataset.id);
        event.dataTransfer.setData(TYPE, String(dragged));
        event.dataTransfer.effectAllowed = "move";
        return undefined;
    });
    list.space.addEventListener("dragover", (event) => {
        const place = dragged && placeOf(event, list);
        if (!place) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        mark.style.transform = `translateY(${place.top}px)`;
        if (!mark.isConnected) list.scroller.append(mark);
    });
    list.space.addEventListener("drop", (event) => {
        const place = dragged && placeOf(event, list);
        if (!place) return;
        event.preventDefault();
        if (place.next !== dragged) drop(dragged, place.next);
    });
    document.addEventListener("dragend", () => {
        dragged = undefined;
        mark.remove();
    });
}

/// Returns the drop position under the pointer.
function placeOf(event, list) {
    const row = event.target.closest?.(".row");
    if (!row) return undefined;
    const box = row.getBoundingClientRect();
    const index = list.shown.indexOf(Number(row.dataset.id)) + (event.clientY > box.top + box.height / 2 ? 1 : 0);
    const next = list.shown[index];
    const top = (index - Number(row.getAttribute("aria-rowindex")) + 2) * box.height + box.top;
    return { next, top: top - list.space.getBoundingClientRect().top };
}

/// Passes links that are dropped or pasted anywhere on the page to `take(text)`.
export function listenForLinks(take) {
    document.addEventListener("dragover", (event) => {
        if (event.dataTransfer.types.includes(TYPE) || isDialogOpen()) return;
        event.preventDefault();
        document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", (event) => {
        if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    document.addEventListener("drop", async (event) => {
        document.body.classList.remove("dropping");
        if (event.defaultPrevented || isDialogOpen() || event.dataTransfer.types.includes(TYPE)) return;
        event.preventDefault();
        const text = await textOf(event.dataTransfer);
        if (text.trim() !== "") take(text);
    });
    document.addEventListener("paste", (event) => {
        if (isDialogOpen() || isWriting(event)) return;
        const text = event.clipboardData.getData("text/plain");
        if (candidates(text).length > 0) take(text);
    });
}

/// Returns what was dropped: links, text, or small text files.
async function textOf(data) {
    const list = data.getData("text/uri-list").split(/\r?\n/).filter((line) => !line.startsWith("#")).join("\n");
    const texts = [list || data.getData("text/plain")];
    const files = [...data.files].filter((file) => file.type.startsWith("text/") && file.size < 1_000_000);
    texts.push(...await Promise.all(files.map((file) => file.text())));
    return texts.join("\n");
}
