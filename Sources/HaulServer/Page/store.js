// The known part of the list, and the listeners for its changes.

import { reduce } from "./reduce.js";

/// All downloads in the order of the daemon's list.
export class Store {
    #downloads = new Map();
    #order = [];
    #gone = new Set();
    #changed = new Set();
    #listeners = [];
    // The events since the beginning of each running request.
    #journals = new Set();
    #isReordered = false;
    #isDue = false;
    #schedule;
    /// The number of downloads in each state.
    counts = {};

    /// `schedule` calls a function later: in the page, at the next frame.
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

    /// Calls `listener({ changed, isReordered })` after changes, with ids; `isReordered` if some may have come, gone, moved or changed state.
    listen(listener) {
        this.#listeners.push(listener);
    }

    /// Sets a download; an unknown one is added at the end.
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

    /// Requests downloads with `ask`, and calls `take` with the response. It may be older than events that arrived meanwhile, so they are
    /// applied again.
    async request(ask, take) {
        const journal = [];
        this.#journals.add(journal);
        try {
            take(await ask());
        } finally {
            this.#journals.delete(journal);
        }
        for (const event of journal) this.apply(event);
    }

    /// Applies an event; returns what must still be requested from the daemon.
    apply(event) {
        for (const journal of this.#journals) journal.push(event);
        const before = this.#downloads.get(event.download);
        const after = reduce(before, event);
        if (after.download && after.download !== before) this.put(after.download);
        if (!after.download && before) this.remove(event.download);
        return after.refresh ?? false;
    }

    /// Moves one before another, or to the end if that is undefined; one that was removed meanwhile stays away.
    placeBefore(id, next) {
        if (!this.#downloads.has(id)) return;
        const order = this.order.filter((each) => each !== id);
        const index = next === undefined ? -1 : order.indexOf(next);
        order.splice(index < 0 ? order.length : index, 0, id);
        this.#order = order;
        this.#isReordered = true;
        this.#touch(id);
    }

    /// Removes everything that is not in a new list, and takes over its order.
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
