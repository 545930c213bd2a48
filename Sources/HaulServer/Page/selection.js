// The selected downloads, and the current one, which has the keyboard focus.

/// The selection in a list.
export class Selection {
    /// The selected ids.
    ids = new Set();
    /// The current id; undefined in an empty list.
    current = undefined;
    #anchor = undefined;

    isChosen(id) {
        return this.ids.has(id);
    }

    /// Makes one the current one, without selecting it.
    stand(id) {
        this.current = id;
    }

    toggle(id) {
        if (!this.ids.delete(id)) this.ids.add(id);
        [this.current, this.#anchor] = [id, id];
    }

    /// Selects all from the last one toggled to this one.
    extend(id, shown) {
        const from = shown.indexOf(this.#anchor ?? this.current ?? id);
        const to = shown.indexOf(id);
        this.#anchor ??= shown[Math.max(0, from)];
        this.current = id;
        if (to < 0) return;
        const [first, last] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
        this.ids = new Set(shown.slice(first, last + 1));
    }

    choose(ids) {
        this.ids = new Set(ids);
    }

    clear() {
        this.ids = new Set();
        this.#anchor = undefined;
    }

    /// Removes what is no longer shown; if the current one is, its neighbour becomes the current one.
    keep(shown, before) {
        const isGone = this.current !== undefined && !shown.includes(this.current);
        if (!isGone && this.ids.size === 0) return;
        const there = new Set(shown);
        for (const id of this.ids) if (!there.has(id)) this.ids.delete(id);
        if (!there.has(this.#anchor)) this.#anchor = undefined;
        if (!isGone) return;
        const index = Math.max(0, before.indexOf(this.current));
        const behind = before.slice(index).find((id) => there.has(id));
        this.current = behind ?? before.slice(0, index).findLast((id) => there.has(id)) ?? shown[0];
    }

    /// Returns the targets of a command: the selection, or else the current one.
    get subject() {
        if (this.ids.size > 0) return [...this.ids];
        return this.current === undefined ? [] : [this.current];
    }
}

/// Returns the index that a key leads to from `index` in a list of `length`; undefined for other keys.
export function target(key, index, length, page) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -length, End: length };
    if (!(key in steps) || length === 0) return undefined;
    return Math.min(length - 1, Math.max(0, index + steps[key]));
}
