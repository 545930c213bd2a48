import assert from "node:assert/strict";
import { test } from "node:test";
import { pairs } from "../page/facts.js";
import { ceiling, Samples } from "../page/samples.js";
import { mapText, plain, stretches } from "../page/segments.js";
import { barText, errorText, fraction, reason, size, speedNow, timeLeft } from "../page/words.js";

const NOW = new Date("2026-01-31T12:00:00Z");

function download(state, fields = {}, progress = {}) {
    return {
        id: 1, name: "n", state, request: { url: "http://h/n" }, added: NOW, changed: NOW.toISOString(),
        progress: { fileBytes: 0, sessionBytes: 0, speed: 0, averageSpeed: 0, connections: 0, ...progress }, ...fields,
    };
}

test("every state says what it is, and why", () => {
    const wait = (fields) => reason(download("waiting", { wait: fields }), NOW);
    assert.equal(wait({ reason: "turn", message: "in the queue" }), "Waiting: in the queue");
    assert.equal(wait({ reason: "retrying", message: "m", until: "2026-01-31T12:00:20Z" }), "Waiting: m; continues in 20s");
    assert.equal(wait({ reason: "notBefore", message: "m", until: "2026-01-31T12:01:00Z" }), "Waiting: starts in 1m00s");
    assert.equal(reason(download("running", {}, { connections: 1, totalBytes: 5 })), "Running: 1 connection");
    assert.match(reason(download("running", { request: { insecure: true } })), /connecting, unknown size, certificates are not checked/);
    assert.equal(reason(download("paused", { pause: "relaunch" })), "Paused since the daemon started");
    assert.equal(reason(download("failed", { error: { message: "m", cause: "c" } })), "Failed: m (c)");
    assert.match(reason(download("cancelled", { keptPartial: false })), /no partial file/);
    const finish = (by) => ({ kept: false, seconds: 65, verification: { by, message: "the facts" } });
    for (const [by, end] of [["checksum", "in 1m05s, the facts"], ["pieces", "in 1m05s, the facts"], ["size", "in 1m05s"]]) {
        const done = download("finished", { finish: finish(by) });
        assert.match(reason(done, NOW), new RegExp(`^Finished [^,]*, ${end}$`));
        assert.equal(pairs(done).find(([name]) => name === "Verification")[1], "the facts");
    }
    assert.equal(reason(download("of a later version")), "of a later version");
    assert.equal(errorText(undefined), "");
});

test("bar, size, speed and time left say what is known, and nothing else", () => {
    const running = download("running", {}, { fileBytes: 512, totalBytes: 2048, speed: 100, secondsLeft: 15.2 });
    assert.deepEqual(
        [fraction(running), size(running), speedNow(running), timeLeft(running), barText(running)],
        [0.25, "512 B of 2.0 KiB", "100 B/s", "16s", "25 %, 512 B of 2.0 KiB"]);
    const unknown = download("running", {}, { fileBytes: 512 });
    assert.deepEqual([fraction(unknown), size(unknown), timeLeft(unknown)], [undefined, "512 B", ""]);
    const empty = download("finished", { finish: { totalBytes: 0 } });
    assert.deepEqual([fraction(empty), size(empty), speedNow(empty)], [1, "0 B", ""]);
    assert.equal(fraction(download("running", {}, { fileBytes: 9, totalBytes: 3 })), 1);
    assert.equal(fraction(download("running", {}, { fileBytes: 0, totalBytes: 0 })), 1);
});

test("facts without a value are left out", () => {
    assert.deepEqual(pairs(download("waiting")).map(([name]) => name), ["Progress", "From", "Added", "Changed", "Number"]);
});

test("a map tiles the file, and stays within it", () => {
    const map = { totalBytes: 100, segments: [
        { start: 0, end: 50, position: 50, active: false }, { start: 50, end: 80, position: 60, active: true }, { start: 80, position: 80 },
    ] };
    const found = stretches(map);
    assert.deepEqual(found.map(({ kind }) => kind), ["done", "active", "open", "open"]);
    assert.deepEqual(found.map(({ from, to }) => [from, to]), [[0, 0.5], [0.5, 0.6], [0.6, 0.8], [0.8, 1]]);
    assert.equal(mapText(map), "3 segments, 1 active");
    assert.deepEqual(stretches({ totalBytes: undefined, segments: map.segments }), []);
    assert.equal(stretches({ totalBytes: 10, segments: [{ start: 0, end: 99, position: 50 }] }).at(-1).to, 1);
    assert.deepEqual(plain(download("paused", {}, { fileBytes: 25, totalBytes: 100 })).map(({ to }) => to), [0.25, 1]);
    assert.deepEqual(plain(download("finished", {}, { fileBytes: 0, totalBytes: 4 })).length, 1);
});

test("samples keep the newest, oldest first, and the graph is higher than all of them", () => {
    const samples = new Samples(3);
    for (const value of [1, 2, NaN, -4, 5]) samples.add(value);
    assert.deepEqual(samples.values(), [0, 0, 5]);
    for (const values of [[], [0], [1], [1023], [1e6, 5], [1e12]]) {
        assert.ok(ceiling(values) > Math.max(0, ...values));
    }
});
