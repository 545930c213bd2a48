// The keyboard and the pointer in the list.

import { target } from "./selection.js";

const MOVES = { ArrowUp: "up", ArrowDown: "down", Home: "top", End: "bottom" };

/// Handles keys and clicks in the list.
///
/// `deeds` has `open(id)`, `close()`, `run(verb, ids)`, `move(where, ids)` and `chosen()`, the last one after a change of the selection.
export function listenInList(list, deeds) {
    const { selection } = list;
    list.space.addEventListener("keydown", (event) => {
        if (handle(event, list, deeds)) event.preventDefault();
    });
    list.space.addEventListener("click", (event) => click(event, list, deeds));
    list.space.addEventListener("focusin", (event) => {
        const id = rowID(event);
        if (id === undefined || selection.current === id) return;
        selection.stand(id);
        list.later();
    });
    list.all.addEventListener("change", () => {
        if (list.all.checked) selection.choose(list.shown);
        else selection.clear();
        deeds.chosen();
    });
}

function rowID(event) {
    const row = event.target.closest(".row");
    return row ? Number(row.dataset.id) : undefined;
}

function click(event, list, deeds) {
    const id = rowID(event);
    if (id === undefined) return;
    const verb = event.target.closest("[data-verb]")?.dataset.verb;
    if (verb) deeds.run(verb, [id]);
    else if (event.shiftKey) list.selection.extend(id, list.shown);
    else if (event.target.matches("[data-pick]") || event.ctrlKey || event.metaKey) list.selection.toggle(id);
    else {
        list.stand(id);
        deeds.open(id);
        return;
    }
    if (!verb) deeds.chosen();
}

/// Returns true if the list handled a key.
function handle(event, list, deeds) {
    const isInside = event.target.matches("button, input");
    if (event.altKey) return moveByKey(event, list, deeds);
    if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === "a" && chooseAll(list, deeds);
    if (isInside && ["Enter", " "].includes(event.key)) return false;
    return go(event, list, deeds) || press(event, list, deeds);
}

function moveByKey(event, list, deeds) {
    const where = MOVES[event.key];
    if (where) deeds.move(where, list.selection.subject);
    return where !== undefined;
}

function chooseAll(list, deeds) {
    list.selection.choose(list.shown);
    deeds.chosen();
    return true;
}

function go(event, list, deeds) {
    const { selection, shown } = list;
    const to = target(event.key, shown.indexOf(selection.current), shown.length, list.page);
    if (to === undefined) return false;
    if (event.shiftKey) {
        selection.extend(shown[to], shown);
        deeds.chosen();
    }
    list.stand(shown[to]);
    deeds.stood(shown[to]);
    return true;
}

function press(event, list, deeds) {
    const { selection } = list;
    if (event.key === " ") {
        selection.toggle(selection.current);
        deeds.chosen();
    } else if (event.key === "Enter") deeds.open(selection.current, { focus: true });
    else if (event.key === "Escape") deeds.close();
    else return false;
    return true;
}
