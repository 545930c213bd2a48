// Describes downloads in words.

import { bytes, count, duration, moment, percent, speed } from "./format.js";

const STATES = {
    waiting: "Waiting", running: "Running", paused: "Paused",
    finished: "Finished", failed: "Failed", cancelled: "Cancelled",
};

/// Returns the name of a state.
export function stateWord(state) {
    return STATES[state] ?? state;
}

/// Returns the text of an error, in the library's own words.
export function errorText(error) {
    if (!error) return "";
    return error.cause ? `${error.message} (${error.cause})` : error.message;
}

/// Returns the state with its reason, in one sentence.
export function reason(download, now = new Date()) {
    const word = stateWord(download.state);
    switch (download.state) {
    case "waiting": return waiting(download.wait, now);
    case "running": return running(download);
    case "paused": return download.pause === "relaunch" ? "Paused since the daemon started" : word;
    case "finished": return finished(download, now);
    case "failed": return `Failed: ${errorText(download.error)}`;
    case "cancelled": return download.keptPartial ? "Cancelled, partial file kept" : "Cancelled, no partial file";
    default: return word;
    }
}

function waiting(wait, now) {
    if (!wait) return "Waiting";
    if (!wait.until) return `Waiting: ${wait.message}`;
    const until = new Date(wait.until);
    const seconds = (until - now) / 1000;
    const when = seconds > 0 && seconds < 3600 ? `in ${duration(seconds)}` : `at ${moment(wait.until, now)}`;
    if (wait.reason === "notBefore") return `Waiting: starts ${when}`;
    return `Waiting: ${wait.message}; continues ${when}`;
}

function running(download) {
    const { connections, totalBytes } = download.progress;
    const parts = [connections > 0 ? count(connections, "connection") : "connecting"];
    if (totalBytes === undefined) parts.push("unknown size");
    if (download.request.insecure) parts.push("certificates are not checked");
    return `Running: ${parts.join(", ")}`;
}

function finished(download, now) {
    const facts = download.finish;
    const parts = [`Finished ${moment(download.changed, now)}`];
    if (facts?.kept) parts.push("already existed");
    else if (facts?.seconds > 0) parts.push(`in ${duration(facts.seconds)}`);
    if (["checksum", "pieces"].includes(facts?.verification?.by)) parts.push(facts.verification.message);
    return parts.join(", ");
}

/// Returns the downloaded fraction, 0 to 1; undefined if the size is unknown.
export function fraction(download) {
    const { fileBytes, totalBytes } = download.progress;
    if (download.state === "finished") return 1;
    if (totalBytes === undefined || totalBytes === null) return undefined;
    return totalBytes > 0 ? Math.min(1, Math.max(0, fileBytes / totalBytes)) : 1;
}

/// Returns the downloaded amount: `27.5 MiB of 64.0 MiB`.
export function size(download) {
    const { fileBytes, totalBytes } = download.progress;
    if (download.state === "finished") return bytes(download.finish?.totalBytes ?? fileBytes);
    if (totalBytes === undefined || totalBytes === null) return fileBytes > 0 ? bytes(fileBytes) : "";
    return fileBytes > 0 ? `${bytes(fileBytes)} of ${bytes(totalBytes)}` : bytes(totalBytes);
}

/// Returns the speed of a running download; empty for any other.
export function speedNow(download) {
    return download.state === "running" ? speed(download.progress.speed) : "";
}

/// Returns the remaining time of a running download; empty if unknown.
export function timeLeft(download) {
    const { secondsLeft } = download.progress;
    return download.state === "running" && secondsLeft !== undefined && secondsLeft !== null
        ? duration(secondsLeft) : "";
}

/// Returns the progress bar's text for screen readers.
export function barText(download) {
    const part = fraction(download);
    return part === undefined ? size(download) || "unknown size" : `${percent(part)}, ${size(download)}`;
}
