// The details of one download, beside the list.

import { api } from "./api.js";
import { button, element, iconButton, setText } from "./dom.js";
import { facts } from "./facts.js";
import { drawGraph } from "./graph.js";
import { noticeText } from "./reduce.js";
import { replacement, tuning } from "./tuning.js";
import { Samples } from "./samples.js";
import { drawSegments, mapText, plain, stretches } from "./segments.js";
import { fits, VERBS } from "./verbs.js";
import { reason } from "./words.js";

/// The panel.
export class Details {
    #store;
    #actions;
    #speeds = new Map();
    #parts;
    #forms;
    #map = undefined;
    #state = undefined;
    /// The download that is shown; undefined while the panel is closed.
    id = undefined;

    /// `onchange` is called with the download that is shown, or undefined.
    constructor(place, store, actions, onchange) {
        [this.place, this.#store, this.#actions, this.onchange] = [place, store, actions, onchange];
    }

    get isOpen() {
        return this.id !== undefined;
    }

    open(id) {
        if (id === undefined || !this.#store.get(id)) return;
        const isOther = this.id !== id;
        this.id = id;
        this.place.hidden = false;
        if (isOther) {
            this.#build();
            this.onchange(id);
        }
        this.show();
        this.poll();
    }

    close() {
        this.id = undefined;
        this.place.hidden = true;
        this.onchange(undefined);
    }

    #build() {
        [this.#map, this.#state] = [undefined, undefined];
        const heading = element("h2", { tabindex: "-1" });
        const close = iconButton("close", "Close the details", { onclick: () => this.close() });
        const parts = {
            heading, reason: element("p", { class: "reason" }), notice: element("p", { class: "notice" }),
            verbs: element("div", { class: "verbs", role: "group", "aria-label": "Commands" }),
            graph: element("canvas", { class: "graph", role: "img", "aria-label": "Speed over the last three minutes" }),
            map: element("canvas", { class: "map", role: "img" }), mapText: element("p", { class: "quiet" }),
            facts: element("dl"), tuning: element("div"), why: element("ul", { class: "why" }),
        };
        parts.speed = element("div", {}, element("h3", { text: "Speed" }), parts.graph);
        parts.segments = element("div", {}, element("h3", { text: "Segments" }), parts.map, parts.mapText);
        parts.limits = element("div", { hidden: true }, element("h3", { text: "What limits the speed" }), parts.why);
        this.#parts = parts;
        // Made once for each download: what is typed into them stays while its state changes.
        this.#forms = [tuning(this.id, this.#store), replacement(this.id, this.#store)];
        parts.tuning.replaceChildren(...this.#forms.map((form) => form.element));
        this.place.replaceChildren(
            element("header", {}, heading, close), parts.reason, parts.notice, parts.verbs,
            parts.speed, parts.segments,
            parts.tuning, parts.facts, parts.limits);
    }

    /// Updates the panel.
    show() {
        if (!this.isOpen) return;
        const download = this.#store.get(this.id);
        if (!download) return this.close();
        const parts = this.#parts;
        setText(parts.heading, download.name);
        setText(parts.reason, reason(download));
        parts.reason.dataset.state = download.state;
        setText(parts.notice, noticeText(download.notice));
        if (this.#state !== download.state) this.#showVerbs(download);
        this.#state = download.state;
        parts.tuning.hidden = download.state === "finished";
        for (const form of this.#forms) form.update(download);
        facts(parts.facts, download);
        this.draw();
        return undefined;
    }

    #showVerbs(download) {
        const focused = document.activeElement?.dataset?.verb;
        const verbs = Object.keys(VERBS).filter((verb) => fits(verb, download));
        this.#parts.verbs.replaceChildren(...verbs.map((verb) => button(
            VERBS[verb].label, { "data-verb": verb, onclick: () => this.#actions.run(verb, [download.id]) }, verb)));
        if (focused && this.#parts.verbs.isConnected && document.activeElement === document.body) {
            this.#parts.verbs.querySelector("button")?.focus();
        }
    }

    draw() {
        if (!this.isOpen) return;
        const download = this.#store.get(this.id);
        if (!download) return;
        const samples = this.#speeds.get(this.id);
        this.#parts.speed.hidden = !samples;
        if (samples) drawGraph(this.#parts.graph, samples, { hasScale: true });
        this.#parts.segments.hidden = !(download.progress.totalBytes > 0);
        const isTold = this.#map?.segments.length > 0 && download.state === "running";
        drawSegments(this.#parts.map, isTold ? stretches(this.#map) : plain(download));
        const words = isTold ? mapText(this.#map) : "Segments are shown while the download is running.";
        setText(this.#parts.mapText, download.state === "finished" ? "Complete." : words);
        this.#parts.map.setAttribute("aria-label", this.#parts.mapText.textContent);
    }

    /// Requests what no event contains: the segments, and what limits the download.
    async poll() {
        const { id } = this;
        const download = this.#store.get(id);
        if (!download || document.hidden) return;
        try {
            const isRunning = download.state === "running";
            const [map, why] = await Promise.all([isRunning ? api.segments(id) : undefined, api.explanation(id)]);
            if (this.id !== id) return;
            this.#map = map;
            const lines = why.factors.map(({ share, message }) => `${Math.round(share * 100)} %: ${message}`);
            if (this.#parts.why.textContent !== lines.join("")) {
                this.#parts.why.replaceChildren(...lines.map((text) => element("li", { text })));
            }
            this.#parts.limits.hidden = lines.length === 0 || download.state === "failed";
            this.draw();
        } catch {
            // The list shows when the daemon can't be reached, and the next request follows in a second.
        }
    }

    /// Takes a sample of each download's speed; those of ended downloads are kept while they are shown.
    sample(ids) {
        for (const id of ids) {
            if (!this.#speeds.has(id)) this.#speeds.set(id, new Samples());
        }
        for (const [id, samples] of this.#speeds) {
            const download = this.#store.get(id);
            if (download && (download.state === "running" || id === this.id)) samples.add(download.progress.speed);
            else if (!download || this.#speeds.size > 500) this.#speeds.delete(id);
        }
    }
}
