// The map of a download: which bytes are downloaded, and where connections are active.

import { count } from "./format.js";
import { context } from "./graph.js";

/// Returns the parts of a map, each with its two ends as fractions of the file (0 to 1) and its kind: `done`, `active` or `open`.
///
/// An active segment is drawn `active` from its start to its position.
export function stretches({ totalBytes, segments }) {
    if (!(totalBytes > 0)) return [];
    const part = (bytes) => Math.min(1, Math.max(0, bytes / totalBytes));
    const found = [];
    for (const { start, end, position, active } of segments) {
        const last = end ?? totalBytes;
        if (position > start) found.push({ from: part(start), to: part(position), kind: active ? "active" : "done" });
        if (last > position) found.push({ from: part(position), to: part(last), kind: "open" });
    }
    return found;
}

/// Returns the map of a download without segment data, as when it is paused: all downloaded bytes are at the start.
export function plain(download) {
    const { fileBytes, totalBytes } = download.progress;
    if (!(totalBytes > 0)) return [];
    const there = download.state === "finished" ? 1 : Math.min(1, fileBytes / totalBytes);
    return [{ from: 0, to: there, kind: "done" }, { from: there, to: 1, kind: "open" }].filter(({ from, to }) => to > from);
}

/// Describes the map in words.
export function mapText({ segments }) {
    const active = segments.filter((segment) => segment.active).length;
    return `${count(segments.length, "segment")}, ${active} active`;
}

/// Draws the map over the whole canvas.
export function drawSegments(canvas, found) {
    const picture = context(canvas);
    if (!picture) return;
    const { drawing, width, height, colour } = picture;
    drawing.fillStyle = colour("track");
    drawing.fillRect(0, 0, width, height);
    const colours = { done: colour("done"), active: colour("accent") };
    for (const { from, to, kind } of found.filter((stretch) => stretch.kind !== "open")) {
        drawing.fillStyle = colours[kind];
        drawing.fillRect(from * width, 0, Math.max(1, (to - from) * width), height);
    }
    drawing.fillStyle = colour("ground");
    for (const { from, kind } of found) {
        if (kind !== "open" && from > 0) drawing.fillRect(Math.round(from * width), 0, 1, height);
    }
}
