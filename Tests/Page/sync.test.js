import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Store } from "../page/store.js";
import { Sync } from "../page/sync.js";

// The daemon's list, and how it responds: `problem` is thrown by each request, or is the status of each response.
let daemon;
let failures;
let loaded;
let sync;
let store;

beforeEach(async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    [daemon, failures, loaded] = [{ ids: [1, 2], requests: 0, pageSize: 1000 }, [], []];
    globalThis.sessionStorage = { getItem: () => null };
    globalThis.fetch = respond;
    store = new Store((work) => work());
    sync = new Sync(store, {
        loaded: (isWhole) => loaded.push(isWhole), failed: (error) => failures.push(error.status), told: () => {},
    });
    await sync.load();
});

afterEach(() => mock.timers.reset());

async function respond(url) {
    daemon.requests += 1;
    const { problem } = daemon;
    if (problem instanceof Error) throw problem;
    if (problem) return { ok: false, status: problem, json: async () => ({ code: "internal", message: "an error" }) };
    const query = url.searchParams;
    const asked = query.getAll("id").map(Number);
    const start = query.has("after") ? daemon.ids.indexOf(Number(query.get("after"))) + 1 : 0;
    const all = asked.length > 0 ? daemon.ids.filter((id) => asked.includes(id)) : daemon.ids.slice(start);
    const ids = all.slice(0, Math.min(daemon.pageSize, Number(query.get("limit") ?? 1000)));
    const message = { downloads: ids.map(download), lastEvent: 9 };
    if (ids.length < all.length) message.next = ids.at(-1);
    daemon.answered?.(ids, query);
    return { ok: true, status: 200, json: async () => message };
}

function download(id) {
    return { id, name: `${id}.bin`, state: "waiting", progress: {}, ...daemon.fields?.[id] };
}

function added(id) {
    return { event: "added", download: id, number: id, time: "2026-01-31T12:00:00.000Z" };
}

/// Advances the mocked clock, and lets the requests that have become due end.
async function pass(milliseconds) {
    mock.timers.tick(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
}

test("a download that was added just before the daemon was killed is shown once it is restarted", async () => {
    daemon.ids.push(3);
    daemon.problem = new TypeError("connection refused");
    sync.take(added(3));
    await pass(100);
    assert.deepEqual([store.order, failures], [[1, 2], [0]]);
    await pass(10_000);
    assert.deepEqual([store.order, failures], [[1, 2], [0, 0]]);
    daemon.problem = undefined;
    daemon.ids.push(4);
    sync.take(added(4));
    await pass(100);
    assert.deepEqual(store.order, [1, 2, 4]);
    await pass(10_000);
    assert.deepEqual([store.order, failures, loaded], [[1, 2, 3, 4], [0, 0], [true, true]]);
    const { requests } = daemon;
    await pass(100_000);
    assert.equal(daemon.requests, requests);
});

test("the list is loaded at once when the daemon can be reached again, and only if that is due", async () => {
    const { requests } = daemon;
    sync.hurry();
    await pass(0);
    assert.equal(daemon.requests, requests);
    daemon.ids = [2, 3];
    daemon.problem = 500;
    await sync.reload();
    assert.deepEqual(failures, [500]);
    daemon.problem = undefined;
    sync.hurry();
    await pass(0);
    assert.deepEqual(store.order, [2, 3]);
});

test("after 401 the page loads the list itself, with the token", async () => {
    daemon.problem = 401;
    sync.take(added(3));
    await pass(100);
    const { requests } = daemon;
    await pass(100_000);
    assert.deepEqual([failures, daemon.requests], [[401], requests]);
});

test("a list whose events are missing is loaded once more, also if it is the first one", async () => {
    daemon.pageSize = 1;
    let isReset = false;
    daemon.answered = (ids) => {
        if (isReset || ids[0] !== 2) return;
        isReset = true;
        daemon.ids = [2, 5];
        sync.reload();
    };
    await sync.load();
    assert.deepEqual([isReset, store.order], [true, [2, 5]]);
});

test("one that is placed before another, which had moved before its event, is placed again", async () => {
    const changed = (id) => ({ ...added(id), event: "changed" });
    daemon.ids = [1, 2, 3, 4, 5];
    await sync.reload();
    // 5 goes to the top, then 4 behind it.
    daemon.ids = [5, 4, 1, 2, 3];
    sync.take(changed(5));
    await pass(100);
    sync.take(changed(4));
    for (let step = 0; step < 5; step++) await pass(100);
    assert.deepEqual(store.order, [5, 4, 1, 2, 3]);
});

test("one whose neighbour is removed while its place is asked for is placed all the same", async () => {
    const changed = (id) => ({ ...added(id), event: "changed" });
    daemon.ids = [1, 2, 3, 4, 5, 6];
    await sync.reload();
    daemon.ids = [1, 2, 5, 6, 3, 4];
    daemon.answered = ([id], query) => {
        if (query.get("after") !== "6") return;
        daemon.answered = undefined;
        daemon.ids = [1, 2, 5, 6, 4];
        sync.take({ ...added(id), event: "removed" });
    };
    for (const id of [5, 6]) sync.take(changed(id));
    for (let step = 0; step < 9; step++) await pass(100);
    assert.deepEqual(store.order, [1, 2, 5, 6, 4]);
    const { requests } = daemon;
    await pass(100_000);
    assert.equal(daemon.requests, requests);
});

test("a download that runs again after a wait is requested, and its position only if it may have moved", async () => {
    const changed = { ...added(1), event: "changed" };
    const retrying = { wait: { reason: "retrying", message: "attempt 1 failed" } };
    const requestsAfter = async (fields, events) => {
        daemon.fields = { 1: retrying };
        await sync.reload();
        daemon.fields = { 1: fields };
        const before = daemon.requests;
        for (const event of events) sync.take(event);
        for (let step = 0; step < 5; step++) await pass(100);
        return daemon.requests - before;
    };
    assert.equal(await requestsAfter({ state: "running" }, [changed]), 1);
    assert.equal(store.get(1).state, "running");
    assert.equal(await requestsAfter({ state: "running" }, [changed, changed]), 2);
    assert.equal(await requestsAfter(retrying, [changed]), 2);
});

test("an event that arrives before an older response is not lost", async () => {
    daemon.ids.push(3);
    daemon.answered = (ids) => {
        if (ids.includes(3)) sync.take(finished(3));
    };
    sync.take(added(3));
    await pass(100);
    assert.equal(store.get(3).state, "finished");
    // The response to a command, too.
    const response = new Promise((resolve) => setImmediate(() => resolve(download(1))));
    const done = store.request(() => response, (changed) => store.put(changed));
    sync.take(finished(1));
    await done;
    assert.equal(store.get(1).state, "finished");
    assert.deepEqual(store.counts, { waiting: 1, finished: 2 });
});

function finished(id) {
    return { ...added(id), event: "finished", finish: { path: `/${id}.bin`, totalBytes: 1 } };
}
