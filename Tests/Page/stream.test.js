import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamReader } from "../page/eventstream.js";
import { pauseBefore } from "../page/events.js";

const STREAM = "retry: 2000\n\n:\n\nid: 5\nevent: paused\ndata: {\"a\":\ndata: 1}\n\nevent: progress\r\ndata:x\r\n\r\ndata: y\r\rid\nignored\n\n";
const EVENTS = [
    { name: "paused", data: "{\"a\":\n1}", id: "5" }, { name: "progress", data: "x", id: "5" }, { name: "message", data: "y", id: "5" },
];

test("a stream is read the same however it is cut", () => {
    for (let cut = 0; cut <= STREAM.length; cut += 1) {
        const reader = new EventStreamReader();
        assert.deepEqual([...reader.feed(STREAM.slice(0, cut)), ...reader.feed(STREAM.slice(cut))], EVENTS, `cut at ${cut}`);
    }
    const reader = new EventStreamReader();
    assert.deepEqual([...STREAM].flatMap((character) => reader.feed(character)), EVENTS);
});

test("what is not complete is no event, and a mark at the beginning no text", () => {
    const reader = new EventStreamReader();
    assert.deepEqual(reader.feed("\uFEFFdata: 1\n"), []);
    assert.deepEqual(reader.feed("\n"), [{ name: "message", data: "1", id: undefined }]);
    assert.deepEqual(reader.feed("event: x\n\nid: a\0b\n\n"), []);
    assert.equal(reader.lastID, undefined);
});

test("pauses grow, stay within bounds, and differ", () => {
    for (let attempt = 1; attempt < 100; attempt += 1) {
        assert.ok(pauseBefore(attempt, 1) <= 10_000 && pauseBefore(attempt, 0) >= 500);
        assert.ok(pauseBefore(attempt + 1, 0.5) >= pauseBefore(attempt, 0.5));
    }
    assert.notEqual(pauseBefore(3, 0), pauseBefore(3, 1));
});
