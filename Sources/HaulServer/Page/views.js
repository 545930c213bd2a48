// The views, the search, and the commands for the selection.

import { button, byID, element, iconButton, setAttribute, setText } from "./dom.js";
import { count } from "./format.js";
import { countOf, reasons, searchWords, toggled, VIEWS, viewOf } from "./filter.js";
import { fits, VERBS } from "./verbs.js";

const MOVES = [["top", "Move to the top"], ["up", "Move up"], ["down", "Move down"], ["bottom", "Move to the bottom"]];

/// The selected view and search; `onchange` is called when they change.
export class Views {
    #buttons = new Map();
    #timer = undefined;
    #reasons = byID("reasons");
    view = VIEWS[0];
    search = "";

    constructor(onchange) {
        this.onchange = onchange;
        for (const view of VIEWS) {
            const number = element("span", { class: "count" });
            const made = button(view.label, { onclick: () => this.choose(view.id) });
            made.append(number);
            this.#buttons.set(view.id, { made, number });
            byID("views").append(made);
        }
        this.field = byID("search").querySelector("input");
        this.field.addEventListener("input", () => {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.find(this.field.value), 80);
        });
        this.field.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.find(this.field.value = "");
        });
        this.#mark();
    }

    choose(id) {
        this.view = viewOf(id);
        this.#mark();
        this.onchange();
    }

    find(text) {
        this.search = text;
        this.onchange();
    }

    #mark() {
        for (const [id, { made }] of this.#buttons) setAttribute(made, "aria-pressed", String(id === this.view.id));
    }

    /// Shows the number of downloads in each view.
    count(counts) {
        for (const view of VIEWS) {
            const { number, made } = this.#buttons.get(view.id);
            const many = countOf(view, counts);
            setText(number, many.toLocaleString("en"));
            setAttribute(made, "aria-label", `${view.label}, ${count(many, "download")}`);
        }
    }

    /// Shows the codes and hosts of failed downloads as buttons, in the view of failures.
    explain(downloads) {
        const found = this.view.id === "failed" ? reasons(downloads) : [];
        this.#reasons.hidden = found.length === 0;
        const words = searchWords(this.search);
        const isPressed = ({ search }) => words.includes(search.toLowerCase());
        const state = found.map((row) => `${row.search} ${row.many} ${isPressed(row)}`).join("\n");
        if (this.#reasons.dataset.state === state) return;
        this.#reasons.dataset.state = state;
        const focused = document.activeElement?.dataset?.search;
        this.#reasons.replaceChildren(...found.map((row) => {
            const made = button(row.name, {
                "aria-pressed": String(isPressed(row)), "aria-label": `${row.name}, ${count(row.many, "download")}`,
                "data-search": row.search, onclick: () => this.find(this.field.value = toggled(this.search, row.search)),
            });
            made.append(element("span", { class: "count", text: row.many.toLocaleString("en") }));
            return made;
        }));
        if (focused) this.#reasons.querySelector(`[data-search="${CSS.escape(focused)}"]`)?.focus();
    }

    /// Returns the text of an empty list.
    emptyWords(isComplete) {
        if (!isComplete) return "Reading the list …";
        if (this.search.trim() !== "") return "No matching downloads.";
        if (this.view.states) return "No downloads in this view.";
        return "No downloads yet. Add one, or drop or paste links here.";
    }
}

/// The commands for the selected downloads, shown while there are any.
export class Choice {
    #bar = byID("choice");
    #number = element("strong");
    #verbs = new Map();
    #moves;

    constructor(deeds) {
        for (const [verb, { label }] of Object.entries(VERBS)) {
            this.#verbs.set(verb, button(label, { onclick: () => deeds.run(verb) }, verb));
        }
        this.#moves = MOVES.map(([where, label]) => iconButton(where, label, { onclick: () => deeds.move(where) }));
        const clear = iconButton("close", "Clear the selection", { onclick: () => deeds.clear() });
        this.#bar.append(this.#number, ...this.#verbs.values(), ...this.#moves, clear);
    }

    show(ids, store, isOrdered) {
        this.#bar.hidden = ids.length === 0;
        if (ids.length === 0) return;
        setText(this.#number, `${ids.length.toLocaleString("en")} selected`);
        const chosen = ids.map((id) => store.get(id)).filter((download) => download);
        for (const [verb, made] of this.#verbs) made.disabled = !chosen.some((download) => fits(verb, download));
        for (const made of this.#moves) made.disabled = !isOrdered;
    }
}
