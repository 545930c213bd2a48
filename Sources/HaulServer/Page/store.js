// The list as far as it is known, and who wants to hear of changes to it.

import { reduce } from "./reduce.js";

/// All downloads in the order of the daemon's list.
export class Store {
    #downloads = new Map();
    #order = [];
    #gone = new Set();
    #changed = new Set();
    #listeners = [];
    #isReordered = false;
    #isDue = false;
    #schedule;
    /// How many downloads are in each state.
    counts = {};

    /// `schedule` calls a function later: at the next picture, in the page.
    constructor(schedule) {
        this.#schedule = schedule;
    }

    get size() {
        return this.#downloads.size;
    }

    /// The ids in the order of the list.
    get order() {
        if (this.#gone.size > 0) {
            this.#order = this.#order.filter((id) => !this.#gone.has(id));
            this.#gone.clear();
        }
        return this.#order;
    }

    get(id) {
        return this.#downloads.get(id);
    }

    /// Has `listener({ changed, isReordered })` called after changes: ids, and whether some may have come, gone, moved or changed state.
    listen(listener) {
        this.#listeners.push(listener);
    }

    /// Sets a download; one that is not known yet comes last.
    put(download) {
        const before = this.#downloads.get(download.id);
        if (!before) {
            if (this.#gone.has(download.id)) this.order;
            this.#order.push(download.id);
        }
        this.#downloads.set(download.id, download);
        if (before?.state !== download.state) {
            if (before) this.#count(before.state, -1);
            this.#count(download.state, 1);
            this.#isReordered = true;
        }
        this.#touch(download.id);
    }

    remove(id) {
        const before = this.#downloads.get(id);
        if (!before) return;
        this.#downloads.delete(id);
        this.#gone.add(id);
        this.#count(before.state, -1);
        this.#isReordered = true;
        this.#touch(id);
    }

    /// Takes an event in; says whether the daemon has to be asked for the rest.
    apply(event) {
        const before = this.#downloads.get(event.download);
        const after = reduce(before, event);
        if (after.download && after.download !== before) this.put(after.download);
        if (!after.download && before) this.remove(event.download);
        return after.refresh ?? false;
    }

    /// Puts one before another, or last where that is undefined.
    placeBefore(id, next) {
        const order = this.order.filter((each) => each !== id);
        const index = next === undefined ? -1 : order.indexOf(next);
        order.splice(index < 0 ? order.length : index, 0, id);
        this.#order = order;
        this.#isReordered = true;
        this.#touch(id);
    }

    /// Forgets all that is not in a new list, and takes over its order.
    reorder(ids) {
        const known = new Set(ids);
        for (const id of this.order) if (!known.has(id)) this.remove(id);
        this.#gone.clear();
        this.#order = ids.filter((id) => this.#downloads.has(id));
        this.#isReordered = true;
        this.#touch();
    }

    #count(state, by) {
        this.counts[state] = (this.counts[state] ?? 0) + by;
    }

    #touch(id) {
        if (id !== undefined) this.#changed.add(id);
        if (this.#isDue) return;
        this.#isDue = true;
        this.#schedule(() => this.#flush());
    }

    #flush() {
        const change = { changed: this.#changed, isReordered: this.#isReordered };
        this.#changed = new Set();
        [this.#isReordered, this.#isDue] = [false, false];
        for (const listener of this.#listeners) listener(change);
    }
}
