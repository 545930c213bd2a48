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

/// Returns the host of a download's URL without its port; an empty text if it has none.
export function hostOf(download) {
    try {
        return new URL(download.request.url).hostname;
    } catch {
        return "";
    }
}

/// Returns the code of the error of a failed download, or of one whose link has expired.
function codeOf(download) {
    const expired = download.wait?.reason === "linkExpired" ? download.wait.error : undefined;
    return (download.error ?? expired)?.code ?? "";
}

/// Returns true if a word matches: `code:` and `host:` stand for the whole code or host, any other word for a part of the text.
function fitsWord(download, word, text) {
    if (word.startsWith("code:")) return codeOf(download).toLowerCase() === word.slice(5);
    if (word.startsWith("host:")) return hostOf(download) === word.slice(5);
    return text().includes(word);
}

/// Returns true if a download is in a view and matches every word of a search.
export function matches(download, view, words) {
    if (view.states && !view.states.includes(download.state)) return false;
    return words.every((word) => fitsWord(download, word, () => searchText(download)));
}

/// Returns the codes and hosts of downloads, most frequent first, each with the search that finds its downloads: at most `most` of each.
export function reasons(downloads, most = 5) {
    const [codes, hosts] = [new Map(), new Map()];
    const add = (map, name) => name !== "" && map.set(name, (map.get(name) ?? 0) + 1);
    for (const download of downloads) {
        add(codes, codeOf(download));
        add(hosts, hostOf(download));
    }
    const rows = (kind, map) => [...map].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).slice(0, most)
        .map(([name, many]) => ({ search: `${kind}:${name}`, name, many }));
    return [...rows("code", codes), ...(hosts.size > 1 ? rows("host", hosts) : [])];
}

/// Returns a search with a `code:` or `host:` word added, in place of another of its kind, or removed if it was there.
export function toggled(search, word) {
    const kind = word.slice(0, 5);
    const words = search.split(/\s+/).filter((old) => old !== "");
    const others = words.filter((old) => !old.toLowerCase().startsWith(kind));
    return (searchWords(search).includes(word.toLowerCase()) ? others : [...others, word]).join(" ");
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
