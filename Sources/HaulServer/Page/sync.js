// Keeps the store in sync with the daemon: the list page by page at first, then event by event.

import { api } from "./api.js";
import { pauseBefore } from "./events.js";

const PAGE = 1000;
// Above this number of requests, loading the whole list is cheaper.
const MANY = 300;
const MANY_MOVES = 20;
const PAUSE = 60;

/// Returns true if the run of a download waits, and will report with the event `changed` that it continues.
function isBetweenAttempts(download) {
    return download?.state === "waiting" && ["retrying", "serverAsked", "connections"].includes(download.wait?.reason);
}

/// Loads the list and applies events to the store.
export class Sync {
    #store;
    #hooks;
    #journal = undefined;
    #waiting = new Map();
    // The download before which each one was placed last.
    #neighbours = new Map();
    #timer = undefined;
    #isAsking = false;
    #again = false;
    #attempt = 0;
    #retry = undefined;

    /// `hooks` has `loaded(isComplete)`, `failed(error)` and `told(event, before)`: a numbered event, with the download as it
    /// was. After a failure, the list is loaded again until that succeeds, except after 401.
    constructor(store, hooks) {
        [this.#store, this.#hooks] = [store, hooks];
    }

    /// Loads the whole list, once more if that is requested meanwhile; calls `begun` with the number of the last event before
    /// it. Throws if a page fails.
    async load(begun = () => {}) {
        this.#again = false;
        await this.#loadOnce(begun);
        while (this.#again) {
            this.#again = false;
            await this.#loadOnce(() => {});
        }
        this.#attempt = 0;
    }

    /// Loads the list page by page. Events meanwhile are applied at once, and again at the end: a page may be older than they are.
    async #loadOnce(begun) {
        this.#journal = [];
        const ids = [];
        let after;
        do {
            const query = after === undefined ? { limit: Math.min(PAGE, 200) } : { limit: PAGE, after };
            const page = await api.page(query);
            for (const download of page.downloads) {
                this.#store.put(download);
                ids.push(download.id);
            }
            if (after === undefined) begun(page.lastEvent);
            after = page.next;
            this.#hooks.loaded(after === undefined);
        } while (after !== undefined);
        this.#store.reorder(ids);
        this.#neighbours.clear();
        const journal = this.#journal;
        this.#journal = undefined;
        for (const event of journal) this.#apply(event);
    }

    /// Loads the list again, because events are missing, or an earlier request failed.
    async reload() {
        clearTimeout(this.#retry);
        this.#retry = undefined;
        if (this.#journal) {
            this.#again = true;
            return;
        }
        try {
            await this.load();
        } catch (error) {
            this.#journal = undefined;
            this.#fail(error);
        }
    }

    /// Loads the list at once if that is due after a failed request: the daemon can be reached again.
    hurry() {
        if (this.#retry !== undefined) this.reload();
    }

    /// Reports a failed request, and loads the list later.
    ///
    /// The events that led to the request are not sent again: without this, a download that was added just before the
    /// daemon was killed would be missing. After 401, the page asks for the token and loads the list with it.
    #fail(error) {
        this.#hooks.failed(error);
        if (error.status === 401) return;
        this.#attempt += 1;
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.reload(), pauseBefore(this.#attempt, Math.random()));
    }

    /// Applies an event of the stream.
    take(event) {
        const before = this.#store.get(event.download);
        this.#journal?.push(event);
        this.#apply(event);
        if (event.event !== "progress" && event.event !== "snapshot") this.#hooks.told(event, before);
    }

    #apply(event) {
        const isWaiting = isBetweenAttempts(this.#store.get(event.download));
        const hasMoved = event.event === "changed" && (isWaiting ? "unlessRunning" : true);
        const refresh = event.event === "added" || this.#store.apply(event);
        if (refresh) this.refresh(event.download, { hasMoved, isNeeded: refresh === true });
    }

    /// Requests a download soon, and its position if it may have moved: `"unlessRunning"` if its event may report that it
    /// runs again instead. If it has moved, too, there are two events.
    refresh(id, { hasMoved = false, isNeeded = true } = {}) {
        const before = this.#waiting.get(id);
        const move = hasMoved && before?.hasMoved ? true : hasMoved || (before?.hasMoved ?? false);
        this.#waiting.set(id, { hasMoved: move, isNeeded: isNeeded || (before?.isNeeded ?? false) });
        this.#timer ??= setTimeout(() => this.#ask(), PAUSE);
    }

    async #ask() {
        this.#timer = undefined;
        if (this.#isAsking || this.#journal) {
            this.#timer = setTimeout(() => this.#ask(), PAUSE);
            return;
        }
        this.#isAsking = true;
        const waiting = this.#waiting;
        this.#waiting = new Map();
        try {
            await this.#bringUpToDate(waiting);
        } catch (error) {
            this.#fail(error);
        } finally {
            this.#isAsking = false;
        }
    }

    async #bringUpToDate(waiting) {
        const unknown = [...waiting.keys()].filter((id) => !this.#store.get(id));
        if (unknown.length > MANY) await this.#readTail();
        const added = new Set(unknown.filter((id) => this.#store.get(id)));
        const needed = [...waiting].filter(([id, { isNeeded }]) => isNeeded && !added.has(id));
        const asked = waiting.size - added.size > MANY ? needed : [...waiting].filter(([id]) => !added.has(id));
        if (asked.length > MANY) {
            await this.reload();
            return;
        }
        await this.#fetch(asked.map(([id]) => id));
        const isMove = ([id, { hasMoved }]) =>
            hasMoved === true || (hasMoved && this.#store.get(id)?.state !== "running");
        await this.#place(asked.filter(isMove).map(([id]) => id));
    }

    /// Added downloads are at the end of the list, after the known ones.
    async #readTail() {
        let after = this.#store.order.at(-1);
        while (after !== undefined) {
            await this.#store.request(() => api.page({ limit: PAGE, after }), (page) => {
                for (const download of page.downloads) this.#store.put(download);
                after = page.next;
            });
        }
    }

    async #fetch(ids) {
        for (let start = 0; start < ids.length; start += 100) {
            const asked = ids.slice(start, start + 100);
            const query = [...asked.map((id) => ["id", id]), ["limit", asked.length]];
            await this.#store.request(() => api.page(query), ({ downloads }) => {
                const found = new Set(downloads.map((download) => download.id));
                for (const download of downloads) this.#store.put(download);
                for (const id of asked) if (!found.has(id)) this.#store.remove(id);
            });
        }
    }

    /// An event reports that a download has moved, but not where: it goes before the one that follows it in the daemon's
    /// list. If that one has moved, too, and its event comes later, both are placed again. If it is not known, because it
    /// has been removed meanwhile, the position is requested again.
    async #place(ids) {
        const next = new Map();
        const moved = new Set(ids);
        for (let size = 0; size < moved.size;) {
            size = moved.size;
            for (const [id, neighbour] of this.#neighbours) if (moved.has(neighbour)) moved.add(id);
        }
        if (moved.size > MANY_MOVES) {
            await this.reload();
            return;
        }
        for (const id of [...moved].filter((each) => this.#store.get(each))) {
            const page = await api.page({ after: id, limit: 1 });
            next.set(id, page.downloads[0]?.id);
            this.#neighbours.set(id, next.get(id));
        }
        // Those whose neighbour has moved, too, follow after it.
        while (next.size > 0) {
            const [id, before] = [...next].find(([, neighbour]) => !next.has(neighbour)) ?? [...next][0];
            next.delete(id);
            if (before === undefined || this.#store.get(before)) this.#store.placeBefore(id, before);
            else this.refresh(id, { hasMoved: true });
        }
    }
}
