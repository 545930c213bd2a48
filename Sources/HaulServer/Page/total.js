// All downloads together: their speed, their number, and the actions on all.

import { setAttribute, setText, byID } from "./dom.js";
import { count, duration, speed } from "./format.js";
import { drawGraph } from "./graph.js";
import { Samples } from "./samples.js";

/// The head of the page.
export class Total {
    #samples = new Samples();
    #summary = undefined;
    #limit = undefined;

    take(summary) {
        this.#summary = summary;
        this.show();
    }

    limits(settings) {
        this.#limit = settings;
        this.show();
    }

    /// If the daemon can't be reached, its speed is unknown.
    unknown() {
        if (this.#summary) this.take({ ...this.#summary, speed: 0, secondsLeft: undefined, connections: 0 });
    }

    show() {
        const summary = this.#summary;
        setText(byID("total-speed"), speed(summary?.speed ?? 0));
        setText(byID("total-words"), this.#words(summary).join(", "));
        const running = summary?.counts.running ?? 0;
        setText(document.querySelector("title"), running > 0 ? `${speed(summary.speed)}, ${running} running – Haul` : "Haul");
    }

    #words(summary) {
        const words = [];
        if (summary?.connections > 0) words.push(count(summary.connections, "connection"));
        if (summary?.secondsLeft) words.push(`${duration(summary.secondsLeft)} left`);
        if (this.#limit?.rateSchedule) words.push(`limits: ${this.#limit.rateSchedule}`);
        else if (this.#limit?.rateLimit) words.push(`limit ${speed(this.#limit.rateLimit)}`);
        return words;
    }

    /// Updates the display every second.
    tick() {
        this.#samples.add(this.#summary?.speed ?? 0);
        this.draw();
    }

    draw() {
        const canvas = byID("total-graph");
        drawGraph(canvas, this.#samples);
        setAttribute(canvas, "aria-label", `Speed of all downloads over the last three minutes, now ${speed(this.#summary?.speed ?? 0)}`);
    }
}
