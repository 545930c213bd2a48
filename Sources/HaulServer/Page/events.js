// Live events: one stream that is reopened at the same event whenever it breaks.

import { send } from "./api.js";
import { EventStreamReader } from "./eventstream.js";

// The daemon writes at least every 15 s; a connection that is silent for longer is dead.
const SILENCE = 40_000;
const LONGEST_PAUSE = 10_000;
// Browsers allow six connections to a host: a hidden page closes its own, and catches up later.
const UNSEEN = 60_000;

/// Returns the wait before reconnection attempt `attempt` (from 1), in milliseconds; `chance` is 0 to 1.
export function pauseBefore(attempt, chance) {
    return Math.min(LONGEST_PAUSE, 500 * 2 ** Math.min(attempt, 6)) * (0.5 + chance / 2);
}

/// Follows the daemon's events.
///
/// `hooks` has `event(name, message)`, `connected()`, `disconnected(error)` and `refused(error)`, the last one if a token is required;
/// `after` is the number of the last known event. Begins with `start`.
export class Events {
    #hooks;
    #after = undefined;
    #attempt = 0;
    #abort = undefined;
    #timer = undefined;
    #unseen = undefined;
    #isStopped = false;

    constructor(hooks) {
        this.#hooks = hooks;
        addEventListener("online", () => this.#hurry());
        addEventListener("pagehide", () => this.#stop());
        addEventListener("pageshow", () => this.#resume());
        document.addEventListener("visibilitychange", () => {
            clearTimeout(this.#unseen);
            if (document.hidden) this.#unseen = setTimeout(() => this.#stop(), UNSEEN);
            else this.#resume();
        });
    }

    /// Follows the events after the one with a number.
    start(after) {
        this.#stop();
        this.#isStopped = false;
        this.#after = after;
        this.#open();
    }

    #stop() {
        if (this.#after === undefined) return;
        this.#isStopped = true;
        this.#abort?.abort();
        this.#abort = undefined;
        clearTimeout(this.#timer);
        this.#timer = undefined;
    }

    #resume() {
        if (this.#isStopped) this.start(this.#after);
        else this.#hurry();
    }

    async #open() {
        const abort = new AbortController();
        this.#abort = abort;
        let problem;
        try {
            await this.#read(abort);
        } catch (error) {
            problem = error;
        }
        if (this.#abort !== abort) return;
        if (problem?.status === 401) {
            this.#hooks.refused(problem);
            return;
        }
        this.#attempt += 1;
        this.#hooks.disconnected(problem);
        this.#timer = setTimeout(() => this.#again(), pauseBefore(this.#attempt, Math.random()));
    }

    #again() {
        this.#timer = undefined;
        this.#open();
    }

    /// Reconnects at once if the daemon can probably be reached again.
    #hurry() {
        if (this.#timer === undefined) return;
        clearTimeout(this.#timer);
        this.#again();
    }

    async #read(abort) {
        let silence = setTimeout(() => abort.abort(), SILENCE);
        try {
            const headers = { Accept: "text/event-stream", "Last-Event-ID": String(this.#after) };
            const response = await send("GET", "events?summary=true&interval=0.5", { headers, signal: abort.signal });
            this.#attempt = 0;
            this.#hooks.connected();
            const texts = response.body.pipeThrough(new TextDecoderStream()).getReader();
            const reader = new EventStreamReader();
            for (;;) {
                const { value, done } = await texts.read();
                if (done || abort.signal.aborted) return;
                clearTimeout(silence);
                silence = setTimeout(() => abort.abort(), SILENCE);
                for (const event of reader.feed(value)) this.#tell(event);
            }
        } finally {
            clearTimeout(silence);
        }
    }

    #tell({ name, data, id }) {
        const message = JSON.parse(data);
        if (name === "reset") this.#after = message.lastEvent;
        else if (id !== undefined) this.#after = Math.max(this.#after, Number(id));
        this.#hooks.event(name, message);
    }
}
