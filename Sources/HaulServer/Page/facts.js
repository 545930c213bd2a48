// The facts of a download, as pairs of a name and a value.

import { element, setText } from "./dom.js";
import { bytes, moment, speed } from "./format.js";
import { barText, timeLeft } from "./words.js";

/// Returns names and values, in display order; those without a value are left out.
export function pairs(download) {
    const { request, progress, finish } = download;
    const runs = download.state === "running";
    return [
        ["Progress", barText(download)],
        ["Speed", runs ? `${speed(progress.speed)}, ${speed(progress.averageSpeed)} on average` : average(finish)],
        ["Time left", timeLeft(download)],
        ["Connections", runs ? String(progress.connections) : ""],
        ["From", request.url],
        ["Other sources", (request.mirrors ?? []).map((mirror) => mirror.url ?? String(mirror)).join("\n")],
        ["File", download.path ?? request.folder],
        ["Checksum", request.checksum ?? finish?.verification?.checksum],
        ["Verification", finish?.verification?.message],
        ["Range", request.range ? `bytes ${request.range.start} to ${request.range.end - 1}` : ""],
        ["Group", request.group],
        ["Tags", (request.tags ?? []).join(", ")],
        ["Not before", request.notBefore ? moment(request.notBefore) : ""],
        ["Key", request.key],
        ["Added", moment(download.added)],
        ["Added by", download.addedBy],
        ["Changed", moment(download.changed)],
        ["Number", String(download.id)],
    ].filter(([, value]) => value);
}

function average(finish) {
    if (!finish || !(finish.seconds > 0) || finish.sessionBytes === 0) return "";
    return `${speed(finish.sessionBytes / finish.seconds)} on average, ${bytes(finish.sessionBytes)} in the last session`;
}

/// Shows the facts in a description list; only changes are written.
export function facts(list, download) {
    const wanted = pairs(download);
    const names = wanted.map(([name]) => name).join("\n");
    if (list.dataset.names !== names) {
        list.dataset.names = names;
        list.replaceChildren(...wanted.flatMap(([name]) => [element("dt", { text: name }), element("dd")]));
    }
    const values = list.querySelectorAll("dd");
    wanted.forEach(([, value], index) => setText(values[index], value));
}
