// The actions on a download, and the states in which they apply.

const OPEN = ["waiting", "running", "paused"];

/// The verbs by name: their labels, their icons and the states that they apply to.
export const VERBS = {
    pause: { label: "Pause", done: "paused", states: ["waiting", "running"] },
    resume: { label: "Resume", done: "resumed", states: ["paused"] },
    start: { label: "Start now", done: "started", states: ["waiting", "paused"] },
    cancel: { label: "Cancel", done: "cancelled", states: OPEN },
    retry: { label: "Retry", done: "retried", states: ["failed", "cancelled"] },
    remove: { label: "Remove", done: "removed", states: [...OPEN, "finished", "failed", "cancelled"] },
};

/// Returns true if a verb applies to the state of a download.
export function fits(verb, download) {
    return VERBS[verb].states.includes(download.state);
}

/// Returns the verb of a download's first button: stop, resume or retry; undefined if it is finished.
export function mainVerb(download) {
    return ["pause", "resume", "retry"].find((verb) => fits(verb, download));
}

/// Returns the verb for several downloads: pause if one of them can be paused, or else resume.
export function pauseOrResume(downloads) {
    return downloads.some((download) => fits("pause", download)) ? "pause" : "resume";
}

/// Returns the commands that move `chosen` within the list, in order: each with a download and its place in the whole list.
///
/// `order` is the whole list, `shown` the visible part: one step moves past the next visible download.
export function moves(where, chosen, order, shown) {
    const among = new Set(chosen);
    const seen = shown.filter((id) => among.has(id));
    const place = new Map(order.map((id, index) => [id, index]));
    switch (where) {
    case "top": return seen.map((id, index) => ({ id, to: index }));
    case "bottom": return seen.map((id) => ({ id, to: order.length - 1 }));
    case "up": return steps(seen, shown, among, place, -1);
    case "down": return steps(seen.toReversed(), shown, among, place, 1);
    default: return [];
    }
}

function steps(seen, shown, among, place, by) {
    const index = new Map(shown.map((id, at) => [id, at]));
    let blocked = by < 0 ? -1 : shown.length;
    const found = [];
    for (const id of seen) {
        const at = index.get(id) + by;
        // Those at the edge stay, and so do those directly after them: a block keeps its order.
        if (at === blocked) blocked = index.get(id);
        else if (among.has(shown[at])) found.push({ id, to: found.at(-1).to - by });
        else found.push({ id, to: place.get(shown[at]) });
    }
    return found;
}

/// Returns the command that drops one download before another, or directly after the last one that is shown if that is
/// undefined; undefined if it is dropped at its own place.
///
/// `order` is the whole list, `shown` the visible part.
export function dropBefore(id, next, order, shown) {
    const previous = next === undefined ? shown.at(-1) : shown[shown.indexOf(next) - 1];
    const from = order.indexOf(id);
    const target = order.indexOf(next ?? previous);
    if (from < 0 || target < 0 || next === id || previous === id) return undefined;
    const place = next === undefined ? target + 1 : target;
    const to = place > from ? place - 1 : place;
    return to === from ? undefined : { id, to };
}
