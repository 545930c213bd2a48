// Performs actions on downloads and reports the results.

import { tell, tellError } from "./announce.js";
import { api } from "./api.js";
import { askForRemoval } from "./removal.js";
import { count } from "./format.js";
import { dropBefore, fits, moves, VERBS } from "./verbs.js";

// The maximum number of ids in one request.
const MOST = 50_000;
const MOST_MOVES = 200;

/// The actions behind buttons, keys and drags.
export class Actions {
    #store;

    constructor(store) {
        this.#store = store;
    }

    /// Applies a verb to those of the downloads that it fits.
    async run(verb, ids, options = {}) {
        const fitting = ids.filter((id) => this.#store.get(id) && fits(verb, this.#store.get(id)));
        if (fitting.length === 0) return;
        // Read before the question: another client may remove the download meanwhile.
        const name = fitting.length === 1 ? this.#store.get(fitting[0]).name : count(fitting.length, "download");
        if (verb === "remove") {
            const files = await askForRemoval(fitting.map((id) => this.#store.get(id)));
            if (!files) return;
            options = { files };
        }
        await attempt(`${VERBS[verb].label} ${name}`, async () => {
            if (fitting.length === 1) await this.#one(verb, fitting[0], options);
            else await this.#many(verb, fitting, options);
        });
    }

    async #one(verb, id, options) {
        if (verb === "remove") {
            await api.remove(id, options.files);
            this.#store.remove(id);
        } else await this.#store.request(() => api.command(id, verb, options), (download) => this.#store.put(download));
    }

    async #many(verb, ids, options) {
        let changed = 0;
        for (let start = 0; start < ids.length; start += MOST) {
            const filter = { ids: ids.slice(start, start + MOST) };
            changed += (await api.act({ action: verb, filter, ...options })).changed;
        }
        tell(`${count(changed, "download")} ${VERBS[verb].done}`);
    }

    /// Applies a verb to all downloads of the daemon.
    async all(verb) {
        await attempt(`${VERBS[verb].label} all`, async () => {
            const { changed } = await api.act({ action: verb, all: true });
            tell(changed > 0 ? `${count(changed, "download")} ${VERBS[verb].done}` : `No downloads to ${verb}`);
        });
    }

    /// Moves downloads: `top`, `up`, `down` or `bottom`.
    async move(where, ids, shown) {
        if (ids.length > MOST_MOVES) {
            tell(`At most ${MOST_MOVES} downloads can be moved at once; ${ids.length} are selected`);
            return;
        }
        await this.#moveAll(moves(where, ids, this.#store.order, shown));
    }

    /// Moves one before another, or directly after the last one that is shown if that is undefined.
    async drop(id, next, shown) {
        const move = dropBefore(id, next, this.#store.order, shown);
        if (move) await this.#moveAll([move]);
    }

    async #moveAll(wanted) {
        await attempt("Move", async () => {
            for (const { id, to } of wanted) {
                await api.command(id, "move", { to });
                const others = this.#store.order.filter((each) => each !== id);
                this.#store.placeBefore(id, others[to]);
            }
        });
    }
}

/// Runs an action and shows its error; returns true if it succeeded.
export async function attempt(what, work) {
    try {
        await work();
        return true;
    } catch (error) {
        tellError(error, what);
        return false;
    }
}
