// The list: only the visible rows have elements, however many downloads there are.

import { element, setAttribute, setText } from "./dom.js";
import { shown } from "./filter.js";
import { Row } from "./row.js";

const MARGIN = 6;
const HEAD = [
    ["name", "Name"], ["progress", "Progress"], ["size", "Size"], ["speed", "Speed"], ["left", "Time left"], ["verbs", "Commands"],
];

/// The visible rows, in a space as high as all rows.
export class List {
    #store;
    #rows = new Map();
    #spare = [];
    #height = 52;
    #isDue = false;
    /// The ids that are shown, in order.
    shown = [];
    /// The download whose details are shown.
    opened = undefined;

    constructor(place, store, selection) {
        [this.#store, this.selection] = [store, selection];
        this.all = element("input", { type: "checkbox", "aria-label": "Select all that are shown" });
        const heads = HEAD.map(([name, text]) => element("span", { class: name, role: "columnheader", text }));
        const head = element(
            "div", { class: "head", role: "row", "aria-rowindex": "1" },
            element("span", { class: "pick", role: "columnheader" }, this.all), ...heads);
        this.space = element("div", { class: "space", role: "rowgroup" });
        this.empty = element("p", { class: "empty" });
        this.scroller = element("div", { class: "scroller", role: "presentation", tabindex: "-1" }, this.space, this.empty);
        this.grid = element(
            "div", { class: "grid", role: "grid", "aria-label": "Downloads", "aria-multiselectable": "true" },
            element("div", { role: "rowgroup" }, head), this.scroller);
        place.append(this.grid);
        this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
        new ResizeObserver(() => this.measure()).observe(this.scroller);
    }

    /// Reads the height of a row from the style sheet, because it differs on phones, and makes the head as wide as the rows.
    measure() {
        this.grid.style.setProperty("--scrollbar", `${this.scroller.offsetWidth - this.scroller.clientWidth}px`);
        const height = parseFloat(getComputedStyle(this.grid).getPropertyValue("--row"));
        this.#height = height > 0 ? height : 52;
        this.render();
    }

    /// The number of visible rows.
    get page() {
        return Math.max(1, Math.floor(this.scroller.clientHeight / this.#height) - 1);
    }

    /// Finds the downloads to show again.
    arrange(view, search) {
        const before = this.shown;
        this.shown = shown(this.#store.order, (id) => this.#store.get(id), view, search);
        this.selection.keep(this.shown, before);
        this.selection.current ??= this.shown[0];
        this.isOrdered = !view.newest;
        const hadFocus = this.space.contains(document.activeElement);
        this.render();
        if (hadFocus && !this.space.contains(document.activeElement)) this.stand(this.selection.current);
    }

    later() {
        if (this.#isDue) return;
        this.#isDue = true;
        requestAnimationFrame(() => {
            this.#isDue = false;
            this.render();
        });
    }

    /// Shows the visible rows, and hides the others.
    render() {
        const { scroller, space, shown: ids } = this;
        const focused = document.activeElement;
        const height = `${ids.length * this.#height}px`;
        if (space.style.height !== height) space.style.height = height;
        setAttribute(this.grid, "aria-rowcount", ids.length + 1);
        const first = Math.max(0, Math.floor(scroller.scrollTop / this.#height) - MARGIN);
        const last = Math.min(ids.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / this.#height) + MARGIN);
        const wanted = new Map();
        for (let index = first; index < last; index += 1) wanted.set(ids[index], index);
        this.#keepFocused(focused, wanted);
        this.#discard(wanted);
        this.#fill([...wanted].sort((one, other) => one[1] - other[1]));
        if (focused !== document.activeElement && space.contains(focused)) focused.focus({ preventScroll: true });
        this.all.checked = ids.length > 0 && this.selection.ids.size === ids.length;
        this.all.indeterminate = this.selection.ids.size > 0 && !this.all.checked;
    }

    /// The row with the focus stays, even out of sight: otherwise the keyboard focus would be lost.
    #keepFocused(focused, wanted) {
        const row = this.space.contains(focused) ? focused.closest(".row") : undefined;
        const id = row && Number(row.dataset.id);
        if (!id || wanted.has(id)) return;
        const index = this.shown.indexOf(id);
        if (index >= 0) wanted.set(id, index);
    }

    #discard(wanted) {
        for (const [id, row] of this.#rows) {
            if (wanted.has(id)) continue;
            row.element.remove();
            this.#rows.delete(id);
            this.#spare.push(row);
        }
    }

    #fill(wanted) {
        let next = this.space.firstElementChild;
        for (const [id, index] of wanted) {
            const download = this.#store.get(id);
            // One that was removed stays as it is until the list is arranged again, which keeps the focus.
            if (!download && !this.#rows.has(id)) continue;
            const row = this.#rows.get(id) ?? this.#spare.pop() ?? new Row();
            this.#rows.set(id, row);
            if (download) row.show(download);
            row.place(index, this.#height);
            row.mark({ isSelected: this.selection.isChosen(id), isCurrent: this.selection.current === id, isOpen: this.opened === id });
            if (row.element === next) next = next.nextElementSibling;
            else this.space.insertBefore(row.element, next);
        }
    }

    /// Shows changes of visible downloads.
    update(changed) {
        for (const id of changed) {
            const download = this.#store.get(id);
            if (download) this.#rows.get(id)?.show(download);
        }
    }

    tick() {
        for (const row of this.#rows.values()) row.tick();
    }

    /// Makes a download the current one, scrolls to it and focuses it.
    stand(id, { focus = true } = {}) {
        this.selection.stand(id);
        this.reveal(id);
        this.render();
        if (focus) this.#rows.get(id)?.element.focus({ preventScroll: true });
    }

    reveal(id) {
        const index = this.shown.indexOf(id);
        if (index < 0) return;
        const { scroller } = this;
        const top = index * this.#height;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        const bottom = top + this.#height - scroller.clientHeight;
        if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
    }

    /// Shows a text in place of rows if there are none.
    say(text) {
        setText(this.empty, this.shown.length === 0 ? text : "");
    }
}
