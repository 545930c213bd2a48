import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, headers, limitChange, patch, portions, rate, requests, whole } from "../page/addition.js";
import { candidates, leftOver, links } from "../page/links.js";

test("links are found in lines and between words, each once", () => {
    const cases = [
        ["https://a.example/x", ["https://a.example/x"]],
        [" http://a/1 \r\nhttp://a/2\n\nhttp://a/1", ["http://a/1", "http://a/2"]],
        ["see (https://a.example/x_(1)), or https://b.example/y.", ["https://a.example/x_(1)", "https://b.example/y"]],
        ["<a href=\"https://a.example/q?x=1&y=2\">", ["https://a.example/q?x=1&y=2"]],
        ["https://a.example/ends-with.", ["https://a.example/ends-with."]],
        ["HTTPS://A.example/x", ["HTTPS://A.example/x"]],
        ["ftp://a/x javascript:alert(1) data:x http:// https://", []],
        ["", []],
    ];
    for (const [text, expected] of cases) assert.deepEqual(links(text), expected, text);
});

test("what was not added is left over, in order, each line once and with its reason", () => {
    const text = "http://a/1\n  what?\n\nftp://x\r\nsee http://a/2 and http://a/3\nhttp://a/2\nwhat?";
    const notLink = "not an http or https link";
    assert.deepEqual(leftOver(text, new Map()), [{ line: "what?", reason: notLink }, { line: "ftp://x", reason: notLink }]);
    assert.deepEqual(leftOver(text, new Map([["http://a/3", "no"], ["http://a/2", "never"]])), [
        { line: "what?", reason: notLink }, { line: "ftp://x", reason: notLink },
        { line: "http://a/2", reason: "never" }, { line: "http://a/3", reason: "no" },
    ]);
    assert.deepEqual(leftOver("http://a/1", new Map()), []);
});

test("a line with a link that may have spaces is left over as a whole", () => {
    const unclear = ["https://a/My File.iso", "http://a/My File.iso http://a/2"];
    for (const rest of [" , http://a/2", " (23 MB)", " sha256:abcd", " or"]) assert.equal(links(`http://a/1${rest}`)[0], "http://a/1");
    const reason = "a link must not contain spaces: write %20 for each";
    for (const line of unclear) {
        assert.deepEqual(links(line), [], line);
        assert.deepEqual(leftOver(`http://a/1\n ${line}`, new Map()), [{ line, reason }]);
    }
    assert.deepEqual(links("http://a/1 http://a/2, http://a/3."), ["http://a/1", "http://a/2", "http://a/3"]);
    // What is pasted or dropped brings it into the form, where it can be corrected.
    assert.deepEqual(candidates(`some text\n${unclear[0]}\nsee http://a/2!`), [unclear[0], "http://a/2"]);
    assert.deepEqual(candidates("some text"), []);
});

test("spaces around fields are removed, except those of a password", () => {
    assert.deepEqual(
        fieldsOf([["user", " u "], ["password", " p "], ["bearerToken", "t\t"]]), { user: "u", password: " p ", bearerToken: "t" });
});

test("of a download's limits only those are changed that were edited", () => {
    const shown = { rateLimit: "", priority: "0" };
    assert.deepEqual(limitChange(shown, shown), {});
    assert.deepEqual(limitChange({ ...shown, rateLimit: "500K" }, shown), { rateLimit: 512000 });
    assert.deepEqual(limitChange({ ...shown, priority: "-3" }, shown), { priority: -3 });
    assert.deepEqual(limitChange({ rateLimit: "", priority: "" }, { rateLimit: "1M", priority: "7" }), { rateLimit: 0, priority: 0 });
    assert.throws(() => limitChange({ ...shown, priority: "1001" }, shown), /priority/);
});

test("a form becomes one request for each link, without what is empty", () => {
    assert.deepEqual(requests(["http://a/1"], { folder: "", name: "", start: "turn", onConflict: "fail" }), [{ url: "http://a/1" }]);
    assert.deepEqual(
        requests(["http://a/1", "http://a/2"], {
            folder: "/d", start: "paused", onConflict: "rename", connections: "4", mode: "fixed", rateLimit: "2M", priority: "-3",
            group: "g", user: "u", password: "p", bearerToken: "t", headers: "Referer: http://x/\nX-A:b",
        }),
        ["http://a/1", "http://a/2"].map((url) => ({
            url, group: "g", priority: -3, startsPaused: true, connections: { mode: "fixed", limit: 4 }, rateLimit: 2097152, user: "u",
            password: "p", bearerToken: "t", headers: [{ name: "Referer", value: "http://x/" }, { name: "X-A", value: "b" }], folder: "/d",
            onConflict: "rename",
        })));
    assert.throws(() => requests(["http://a/1", "http://a/2"], { name: "x" }), /alone/);
    assert.equal(requests(["http://a/1"], { name: "x", start: "once" })[0].startsAtOnce, true);
});

test("wrong fields are named", () => {
    assert.throws(() => whole("1.5", "Connections", 1, 256), /Connections must be a whole number from 1 to 256/);
    assert.throws(() => requests(["http://a/1"], { connections: "0" }), /Connections/);
    assert.throws(() => requests(["http://a/1"], { connections: "", mode: "fixed" }), /number of connections/);
    assert.throws(() => rate("fast"), /Invalid speed "fast"/);
    assert.throws(() => headers("no colon"), /Name: value/);
    assert.throws(() => headers(": no name"), /Name: value/);
});

test("empty settings take limits away", () => {
    const empty = { jobs: "", jobsPerHost: "", order: "lifo", rateLimit: "", rateSchedule: "" };
    assert.deepEqual(patch(empty), { jobs: null, jobsPerHost: null, order: "lifo", rateLimit: null, rateSchedule: null });
    const full = { jobs: "0", jobsPerHost: "2", order: "fifo", rateLimit: "1K", rateSchedule: "1M" };
    assert.deepEqual(patch(full), { jobs: 0, jobsPerHost: 2, order: "fifo", rateLimit: 1024, rateSchedule: "1M" });
    assert.throws(() => patch({ ...empty, jobsPerHost: "0" }), /host/);
});

test("portions hold all requests in order, none too large", () => {
    const all = Array.from({ length: 1000 }, (_, index) => ({ url: `http://ä.example/${index}` }));
    const found = portions(all, 2000);
    assert.deepEqual(found.flat(), all);
    for (const portion of found) assert.ok(new TextEncoder().encode(JSON.stringify(portion)).length <= 2001);
    assert.deepEqual(portions([]), []);
});
