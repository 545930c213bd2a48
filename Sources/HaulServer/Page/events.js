// What happens, live: one stream of events that is opened again whenever it breaks, from where it was.

import { send } from "./api.js";
import { EventStreamReader } from "./eventstream.js";

// The daemon writes something every 15 s at the latest; a connection that is silent for longer is a dead one.
const SILENCE = 40_000;
const LONGEST_PAUSE = 10_000;
// Browsers have six connections to a host: a page that nobody sees gives its own back, and hears later what it missed.
const UNSEEN = 60_000;

/// How long to wait before attempt `attempt` (from 1) to connect again, in milliseconds; `chance` is 0 to 1.
export function pauseBefore(attempt, chance) {
    return Math.min(LONGEST_PAUSE, 500 * 2 ** Math.min(attempt, 6)) * (0.5 + chance / 2);
}

/// Follows the daemon's events.
///
/// `hooks` has `event(name, message)`, `connected()`, `disconnected(error)` and `refused(error)`, the last one where a token is wanted;
/// `after` is the number of the last event that is known. Begins with `start`.
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

    /// Follows from behind the event with a number.
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

    /// Does not wait any longer where it is likely that the daemon can be reached again.
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
