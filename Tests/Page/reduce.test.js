import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeText, reduce } from "../page/reduce.js";
import { Store } from "../page/store.js";

const TIME = "2026-01-31T12:00:00.000Z";

function download(fields = {}) {
    return {
        id: 7, key: "k", name: "a.bin", request: { url: "http://h/a.bin" }, state: "running", added: TIME, changed: TIME,
        progress: { fileBytes: 10, sessionBytes: 10, totalBytes: 100, speed: 5, averageSpeed: 5, secondsLeft: 18, connections: 2 },
        ...fields,
    };
}

function event(name, fields = {}) {
    return { number: 1, download: 7, time: "2026-01-31T12:00:09.000Z", event: name, ...fields };
}

const ERROR = { code: "notFound", message: "it is not there" };
const ENDS = {
    waiting: { wait: { reason: "turn", message: "its turn" } }, paused: { pause: "asked" }, failed: { error: ERROR },
    cancelled: { keptPartial: true },
    finished: { finish: { path: "/d/b.bin", totalBytes: 100, sessionBytes: 90, seconds: 3, kept: false, verification: {} } },
};

test("an event of a state leads to that state, with its own fields and nobody works on it", () => {
    for (const before of Object.keys(ENDS)) {
        for (const [name, fields] of Object.entries(ENDS)) {
            const old = download({ state: before, ...ENDS[before] });
            const { download: after, refresh } = reduce(old, event(name, fields));
            assert.equal(after.state, name);
            assert.equal(refresh, undefined);
            assert.equal(after.changed, "2026-01-31T12:00:09.000Z");
            const [own] = Object.keys(fields);
            assert.deepEqual(after[own], fields[own]);
            for (const other of ["wait", "pause", "error", "finish", "keptPartial"]) {
                if (other !== own) assert.ok(!(other in after), `${before}, ${name}: ${other}`);
            }
            assert.equal(after.progress.speed, 0);
            assert.ok(!("secondsLeft" in after.progress));
        }
    }
});

test("the download before is left as it was", () => {
    const before = Object.freeze(download({ progress: Object.freeze(download().progress) }));
    for (const [name, fields] of Object.entries(ENDS)) assert.notEqual(reduce(before, event(name, fields)).download, before);
});

test("a start tells size, path and name", () => {
    const start = { path: "/d/new.bin", totalBytes: 500, resumedBytes: 40, insecure: false };
    const after = reduce(download({ state: "waiting", wait: {} }), event("started", { start })).download;
    assert.deepEqual([after.state, after.name, after.path], ["running", "new.bin", "/d/new.bin"]);
    assert.deepEqual([after.progress.fileBytes, after.progress.totalBytes], [40, 500]);
    const unknown = reduce(download(), event("started", { start: { path: "/d/x", resumedBytes: 0 } })).download;
    assert.ok(!("totalBytes" in unknown.progress));
});

test("finished means all bytes", () => {
    const { progress, name } = reduce(download(), event("finished", ENDS.finished)).download;
    assert.deepEqual([progress.fileBytes, progress.totalBytes, name], [100, 100, "b.bin"]);
});

test("a download that waited for its next attempt runs as soon as it receives more", () => {
    const wait = { reason: "retrying", message: "attempt 1 failed", until: "2026-01-31T12:00:05.000Z" };
    const waiting = download({ state: "waiting", wait, progress: { fileBytes: 10, sessionBytes: 10, totalBytes: 100, speed: 0, connections: 0 } });
    const after = (progress, time = "2026-01-31T12:00:06.000Z") =>
        reduce(waiting, event("progress", { progress: { ...waiting.progress, ...progress }, time })).download;
    const more = { fileBytes: 11, sessionBytes: 11, connections: 1, speed: 3 };
    const running = after(more);
    assert.deepEqual([running.state, running.wait, running.progress.speed], ["running", undefined, 3]);
    assert.equal(after({ ...more, fileBytes: 100, connections: 0 }).state, "running");
    // Without another byte, in the last report after a cut, and in one from before the event.
    for (const each of [after({ connections: 1 }), after({ ...more, connections: 0 }), after(more, TIME)]) {
        assert.deepEqual([each.state, each.wait], ["waiting", wait]);
    }
    const store = new Store(() => {});
    store.put(waiting);
    store.apply(event("progress", { progress: { ...waiting.progress, ...more } }));
    assert.deepEqual(store.counts, { waiting: 0, running: 1 });
    assert.equal(reduce(download({ state: "paused" }), event("progress", { progress: { ...more } })).download.state, "paused");
});

test("what an event does not tell has to be asked for", () => {
    for (const name of ["changed", "sourceReplaced", "something of a later version"]) {
        assert.equal(reduce(download(), event(name)).refresh, true);
    }
    assert.equal(reduce(download({ state: "paused" }), event("resumed")).refresh, "ifFew");
    assert.equal(reduce(undefined, event("failed", { error: ERROR })).refresh, true);
    assert.equal(reduce(undefined, event("progress", { progress: {} })).refresh, false);
});

test("a snapshot is the download, and a removal its end", () => {
    const snapshot = download({ name: "other" });
    assert.equal(reduce(undefined, event("snapshot", { snapshot })).download, snapshot);
    assert.equal(reduce(download(), event("removed", { files: "none" })).download, undefined);
});

test("every notice has words", () => {
    for (const notice of ["partialQuarantined", "sourceChanged", "rangesIgnored", "fewerConnections", "sourceExcluded", "badPieces",
        "headerDigestWrong"]) {
        assert.notEqual(noticeText({ notice, reason: "r", url: "u", connections: 1, pieces: 1, header: "h", host: "h" }), "");
    }
    assert.equal(noticeText({ notice: "of a later version" }), "");
});

test("the store counts states and keeps the order", () => {
    const store = new Store(() => {});
    for (const id of [1, 2, 3, 4]) store.put(download({ id, state: "waiting" }));
    store.apply({ ...event("failed", { error: ERROR }), download: 2 });
    store.apply({ ...event("removed", { files: "none" }), download: 3 });
    assert.deepEqual(store.order, [1, 2, 4]);
    assert.deepEqual(store.counts, { waiting: 2, failed: 1 });
    store.placeBefore(4, 1);
    assert.deepEqual(store.order, [4, 1, 2]);
    store.placeBefore(4, undefined);
    // Removed while it was being moved.
    store.placeBefore(3, 1);
    assert.deepEqual(store.order, [1, 2, 4]);
    store.put(download({ id: 3, state: "paused" }));
    assert.deepEqual(store.order, [1, 2, 4, 3]);
    store.reorder([3, 4, 9]);
    assert.deepEqual([store.order, store.size], [[3, 4], 2]);
    assert.deepEqual(store.counts, { waiting: 1, failed: 0, paused: 1 });
});

test("a flush tells what has changed, once", () => {
    const works = [];
    const store = new Store((work) => works.push(work));
    const heard = [];
    store.listen((change) => heard.push(change));
    store.put(download({ id: 1 }));
    store.put(download({ id: 2 }));
    assert.equal(works.length, 1);
    works.pop()();
    store.apply({ ...event("progress", { progress: download().progress }), download: 2 });
    works.pop()();
    assert.deepEqual(heard.map(({ changed, isReordered }) => [[...changed], isReordered]), [[[1, 2], true], [[2], false]]);
});
