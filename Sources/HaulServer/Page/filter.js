// Selects the downloads that are shown.

/// The views of the list; those with `newest` show what ended last first.
export const VIEWS = [
    { id: "all", label: "All" },
    { id: "running", label: "Running", states: ["running"] },
    { id: "waiting", label: "Waiting", states: ["waiting"] },
    { id: "paused", label: "Paused", states: ["paused"] },
    { id: "finished", label: "Finished", states: ["finished"], newest: true },
    { id: "failed", label: "Failed", states: ["failed"], newest: true },
    { id: "history", label: "History", states: ["finished", "failed", "cancelled"], newest: true },
];

/// Returns the view with an id, or the first one.
export function viewOf(id) {
    return VIEWS.find((view) => view.id === id) ?? VIEWS[0];
}

/// Returns the number of downloads in a view, from the counts by state.
export function countOf(view, counts) {
    const states = view.states ?? Object.keys(counts);
    return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

// By id, with the download that each text belongs to: a WeakMap of a hundred thousand is several times slower.
const texts = new Map();

/// Returns the searched text: name, URL, path, group and tags, in lower case.
function searchText(download) {
    const known = texts.get(download.id);
    if (known?.download === download) return known.text;
    const { url, group, tags } = download.request;
    const text = `${download.name}\n${url}\n${download.path ?? ""}\n${group ?? ""}\n${tags?.join("\n") ?? ""}`.toLowerCase();
    texts.set(download.id, { download, text });
    return text;
}

/// Returns the words of a search, all of which must match.
export function searchWords(search) {
    return search.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

/// Returns true if a download is in a view and matches every word of a search.
export function matches(download, view, words) {
    if (view.states && !view.states.includes(download.state)) return false;
    if (words.length === 0) return true;
    const text = searchText(download);
    return words.every((word) => text.includes(word));
}

/// Returns the ids to show, in display order.
export function shown(order, get, view, search) {
    const words = searchWords(search);
    if (texts.size > 2 * order.length + 1000) texts.clear();
    if (!view.states && words.length === 0) return order.slice();
    const found = order.filter((id) => matches(get(id), view, words));
    if (!view.newest) return found;
    // Times of the same format can be compared as text.
    return found.sort((one, other) => {
        const [first, second] = [get(one).changed, get(other).changed];
        return first === second ? other - one : first < second ? 1 : -1;
    });
}
