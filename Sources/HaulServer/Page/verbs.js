// What can be done to a download, and when it makes sense.

const OPEN = ["waiting", "running", "paused"];

/// The verbs by name: their words, their pictures and the states that they fit.
export const VERBS = {
    pause: { label: "Pause", done: "paused", states: ["waiting", "running"] },
    resume: { label: "Resume", done: "resumed", states: ["paused"] },
    start: { label: "Start now", done: "started", states: ["waiting", "paused"] },
    cancel: { label: "Cancel", done: "cancelled", states: OPEN },
    retry: { label: "Retry", done: "retried", states: ["failed", "cancelled"] },
    remove: { label: "Remove", done: "removed", states: [...OPEN, "finished", "failed", "cancelled"] },
};

/// Whether a verb fits the state that a download is in.
export function fits(verb, download) {
    return VERBS[verb].states.includes(download.state);
}

/// What the first button of a download does: stop it, let it go on, or try it again; nothing where it is finished.
export function mainVerb(download) {
    return ["pause", "resume", "retry"].find((verb) => fits(verb, download));
}

/// What one command for several downloads does: pause them if one of them can be paused, else resume them.
export function pauseOrResume(downloads) {
    return downloads.some((download) => fits("pause", download)) ? "pause" : "resume";
}

/// The commands that move `chosen` within the list, in the order in which they are given: which one, and to which place in the whole list.
///
/// `order` is the whole list, `shown` what is seen of it: one step goes past the next one that is seen.
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
        // Those at the edge stay, and so do those right behind them: a block keeps its order.
        if (at === blocked) blocked = index.get(id);
        else if (among.has(shown[at])) found.push({ id, to: found.at(-1).to - by });
        else found.push({ id, to: place.get(shown[at]) });
    }
    return found;
}

/// The command that drops one download before another, which is undefined for the end of the list.
export function dropBefore(id, next, order) {
    const from = order.indexOf(id);
    const target = next === undefined ? order.length : order.indexOf(next);
    if (from < 0 || target < 0 || next === id) return undefined;
    const to = target > from ? target - 1 : target;
    return to === from ? undefined : { id, to };
}
