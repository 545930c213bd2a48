// Applies events to downloads: pure functions, without the page and without the network.

import { count } from "./format.js";

const STATE_FIELDS = ["wait", "pause", "finish", "error", "keptPartial"];

/// Returns a download in another state, with the fields of that state and none of the previous one.
export function inState(download, state, fields, time) {
    const changed = { ...download, state, changed: time ?? download.changed };
    for (const name of STATE_FIELDS) delete changed[name];
    return Object.assign(changed, fields);
}

/// Returns the last component of a path.
export function baseName(path) {
    return path.slice(path.lastIndexOf("/") + 1);
}

/// Returns the progress of a download without active connections.
function atRest(progress, fields = {}) {
    const rest = { ...progress, speed: 0, connections: 0, ...fields };
    delete rest.secondsLeft;
    return rest;
}

/// Applies an event of the stream to a download.
///
/// `download` is undefined if unknown. The result has the new `download`, undefined if it was removed, and
/// `refresh`: true if the event is incomplete, so that the daemon must be asked; `"ifFew"` if that may be left out.
export function reduce(download, event) {
    if (event.event === "snapshot") return { download: event.snapshot };
    if (event.event === "removed") return { download: undefined };
    if (!download) return { download, refresh: event.event !== "progress" };
    const into = (state, fields) => ({
        download: { ...inState(download, state, fields, event.time), progress: atRest(download.progress) },
    });
    switch (event.event) {
    case "progress": return { download: advanced(download, event) };
    case "started": return { download: started(download, event) };
    case "waiting": return into("waiting", { wait: event.wait });
    case "paused": return into("paused", { pause: event.pause });
    case "failed": return into("failed", { error: event.error });
    case "cancelled": return into("cancelled", { keptPartial: event.keptPartial ?? false });
    case "finished": return { download: finished(download, event) };
    case "notice": return { download: { ...download, notice: event.notice } };
    // The exact reason must be requested; if very many are resumed at once, this one is also true.
    case "resumed": return { ...into("waiting", { wait: { reason: "turn", message: "in the queue" } }), refresh: "ifFew" };
    default: return { download, refresh: true };
    }
}

/// Applies progress. A download that waited for its next attempt runs again if it has received more bytes since.
///
/// Progress may be older than the `waiting` event that came before it, and the last report after a cut has no connection.
function advanced(download, { progress, time }) {
    const { connections, sessionBytes, fileBytes, totalBytes } = progress;
    const isMore = sessionBytes > download.progress.sessionBytes && time > download.changed;
    const isRunning = download.state === "waiting" && isMore && (connections > 0 || fileBytes === totalBytes);
    return { ...(isRunning ? inState(download, "running", {}) : download), progress };
}

function started(download, event) {
    const { path, totalBytes, resumedBytes } = event.start;
    const progress = atRest(download.progress, { fileBytes: resumedBytes, sessionBytes: 0 });
    if (totalBytes === undefined) delete progress.totalBytes;
    else progress.totalBytes = totalBytes;
    return { ...inState(download, "running", {}, event.time), path, name: baseName(path) || download.name, progress };
}

function finished(download, event) {
    const { path, totalBytes } = event.finish;
    const progress = atRest(download.progress, { fileBytes: totalBytes, totalBytes });
    const done = inState(download, "finished", { finish: event.finish }, event.time);
    return { ...done, path, name: baseName(path) || download.name, progress };
}

/// Returns the text of a notice, shown beside the state.
export function noticeText(notice) {
    switch (notice?.notice) {
    case "partialQuarantined": return `The existing partial file is not used: ${notice.reason}`;
    case "sourceChanged": return "The file on the server has changed: downloading it again from the start";
    case "rangesIgnored": return "The server does not support range requests: one connection, and no resume after an interruption";
    case "fewerConnections": return `The server refused a further connection: using ${notice.connections}`;
    case "sourceExcluded": return `${notice.url} is no longer used: ${notice.reason}`;
    case "badPieces": return `Downloading ${count(notice.pieces, "damaged piece")} again`;
    case "headerDigestWrong": return `The checksum in the ${notice.header} header of ${notice.host} is wrong and is ignored`;
    case "webPage": return "The server sent a web page, perhaps an error or login page instead of the file";
    default: return "";
    }
}
