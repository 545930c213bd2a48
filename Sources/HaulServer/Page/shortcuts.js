// The keyboard shortcuts.

import { element } from "./dom.js";
import { isDialogOpen, openDialog, tick } from "./dialog.js";

const SWITCH = "haul.keys";

/// The keys as listed under `?`.
export const KEYS = [
    ["In the list", [
        ["↑ ↓ Home End PageUp PageDown", "move through the list"],
        ["Space", "select or deselect"],
        ["Shift + ↑ ↓", "select several"],
        ["Ctrl + A", "select all that are shown"],
        ["Enter", "show the details"],
        ["Alt + ↑ ↓", "move up or down"],
        ["Alt + Home, Alt + End", "move to the top or the bottom"],
    ]],
    ["For the selected download, in the list and in its details", [
        ["P", "pause or resume"],
        ["S", "start now, ignoring the limits"],
        ["C", "cancel"],
        ["R", "retry"],
        ["Delete", "remove"],
        ["Escape", "close the details, or clear the selection"],
    ]],
    ["Everywhere", [
        ["N", "add downloads"],
        ["/", "search"],
        ["1 to 7", "show a view: all, running, waiting …"],
        ["L", "limits"],
        ["G", "go to the list"],
        ["?", "show these shortcuts"],
        ["Ctrl + Enter", "submit the open form"],
    ]],
];

/// Returns true if single-key shortcuts are on: users of speech input may want them off (WCAG 2.1.4).
export function areLettersOn() {
    return localStorage.getItem(SWITCH) !== "off";
}

/// Returns true if an event comes from a text field.
export function isWriting(event) {
    const place = event.target;
    if (!(place instanceof HTMLElement)) return false;
    return place.matches("textarea, select, input:not([type=checkbox]):not([type=radio])") || place.isContentEditable;
}

/// Calls the function of a key, except in text fields; `commands` has a function for each key.
export function listenEverywhere(commands) {
    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || isDialogOpen() || isWriting(event)) return;
        if (event.ctrlKey || event.metaKey || event.altKey || (event.key.length === 1 && !areLettersOn())) return;
        const command = commands[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!command) return;
        event.preventDefault();
        command();
    });
}

/// Shows the list of shortcuts.
export function openHelp() {
    const box = element("input", { checked: areLettersOn() });
    box.addEventListener("change", () => localStorage.setItem(SWITCH, box.checked ? "on" : "off"));
    const tables = KEYS.map(([title, rows]) => element(
        "table", {}, element("caption", { text: title }), element("tbody", {}, ...rows.map(([keys, meaning]) => element(
            "tr", {}, element("th", { scope: "row" }, element("kbd", { text: keys })), element("td", { text: meaning }))))));
    openDialog("Keyboard shortcuts", [tick("Single-key shortcuts", box), ...tables], { kind: "help" });
}
