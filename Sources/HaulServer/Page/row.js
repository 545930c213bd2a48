// One download in the list.

import { element, icon, iconButton, setAttribute, setText } from "./dom.js";
import { percent } from "./format.js";
import { fits, mainVerb, VERBS } from "./verbs.js";
import { barText, fraction, reason, size, speedNow, stateWord, timeLeft } from "./words.js";

/// The elements of a row: created once, and reused for any download.
export class Row {
    id = undefined;
    #shown = undefined;
    #parts = {};

    constructor() {
        const parts = this.#parts;
        parts.pick = element("input", { type: "checkbox", tabindex: "-1", "data-pick": true });
        parts.grip = element("span", { class: "grip", draggable: "true", title: "Drag to reorder" }, icon("grip"));
        parts.title = element("span", { class: "title" });
        parts.reason = element("span", { class: "reason" });
        parts.fill = element("span", { class: "fill" });
        parts.bar = element("span", { class: "bar", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100" }, parts.fill);
        parts.percent = element("span", { class: "percent", "aria-hidden": "true" });
        for (const name of ["size", "speed", "left"]) parts[name] = cell(name);
        parts.main = iconButton("pause", "", { "data-verb": "pause", tabindex: "-1" });
        parts.cancel = iconButton("cancel", "", { "data-verb": "cancel", tabindex: "-1" });
        parts.remove = iconButton("remove", "", { "data-verb": "remove", tabindex: "-1" });
        this.element = element(
            "div", { class: "row", role: "row" }, cell("pick", parts.grip, parts.pick),
            element("span", { class: "name", role: "rowheader" }, parts.title, parts.reason),
            cell("progress", parts.bar, parts.percent), parts.size, parts.speed, parts.left,
            cell("verbs", parts.main, parts.cancel, parts.remove));
    }

    /// Shows a download; does nothing if it is shown already.
    show(download) {
        if (this.#shown === download) return;
        const isOther = this.id !== download.id;
        this.#shown = download;
        this.id = download.id;
        this.element.dataset.id = download.id;
        this.element.dataset.state = download.state;
        setAttribute(this.element, "data-wait", download.wait?.reason);
        this.element.classList.toggle("other", isOther);
        this.#showText(download);
        this.#showBar(download);
        this.#showButtons(download);
    }

    #showText(download) {
        const parts = this.#parts;
        setText(parts.title, download.name);
        setAttribute(parts.title, "title", download.name);
        const words = reason(download);
        setText(parts.reason, words);
        setAttribute(parts.reason, "title", words);
        setText(parts.size, size(download));
        setText(parts.speed, speedNow(download));
        const left = timeLeft(download);
        setText(parts.left, left ? `${left} left` : "");
        setAttribute(parts.pick, "aria-label", `Select ${download.name}`);
    }

    #showBar(download) {
        const parts = this.#parts;
        const part = fraction(download);
        const isMoving = part === undefined && download.state === "running";
        parts.bar.classList.toggle("moving", isMoving);
        parts.fill.style.transform = part === undefined ? "" : `scaleX(${part.toFixed(4)})`;
        parts.bar.hidden = part === undefined && !isMoving;
        setAttribute(parts.bar, "aria-valuenow", part === undefined ? undefined : Math.floor(part * 100));
        setAttribute(parts.bar, "aria-valuetext", `${stateWord(download.state)}, ${barText(download)}`);
        setAttribute(parts.bar, "aria-label", `Progress of ${download.name}`);
        setText(parts.percent, part === undefined ? "" : percent(part));
    }

    #showButtons(download) {
        const { main, cancel, remove } = this.#parts;
        const verb = mainVerb(download);
        // Hidden, but with its space kept, so that no button moves under the pointer.
        main.classList.toggle("absent", !verb);
        if (verb && main.dataset.verb !== verb) {
            main.dataset.verb = verb;
            main.replaceChildren(icon(verb));
        }
        cancel.classList.toggle("absent", !fits("cancel", download));
        for (const made of [main, cancel, remove]) {
            const label = VERBS[made.dataset.verb].label;
            setAttribute(made, "aria-label", `${label} ${download.name}`);
            setAttribute(made, "title", label);
        }
    }

    /// Moves the row to an index of the list, from 0.
    place(index, height) {
        this.element.style.transform = `translateY(${index * height}px)`;
        // The head of the list is its first row.
        setAttribute(this.element, "aria-rowindex", index + 2);
        this.element.classList.toggle("odd", index % 2 === 1);
    }

    /// Shows if it is selected, if Tab leads to it, and if its details are shown.
    mark({ isSelected, isCurrent, isOpen }) {
        setAttribute(this.element, "aria-current", isOpen ? "true" : undefined);
        setAttribute(this.element, "aria-selected", isSelected ? "true" : "false");
        this.#parts.pick.checked = isSelected;
        setAttribute(this.element, "tabindex", isCurrent ? "0" : "-1");
        for (const name of ["pick", "main", "cancel", "remove"]) {
            setAttribute(this.#parts[name], "tabindex", isCurrent ? "0" : "-1");
        }
    }

    /// Updates the texts that change with time alone.
    tick() {
        if (this.#shown?.wait?.until) setText(this.#parts.reason, reason(this.#shown));
    }
}

function cell(name, ...children) {
    return element("span", { class: name, role: "gridcell" }, ...children);
}
