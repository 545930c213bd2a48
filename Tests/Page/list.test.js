import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, hostOf, matches, reasons, shown, toggled, viewOf, VIEWS } from "../page/filter.js";
import { Selection, target } from "../page/selection.js";
import { dropBefore, fits, mainVerb, moves, pauseOrResume, VERBS } from "../page/verbs.js";

const STATES = ["waiting", "running", "paused", "finished", "failed", "cancelled"];
const all = new Map(STATES.map((state, index) => [index + 1, {
    id: index + 1, state, name: `Name-${state}.ISO`, request: { url: `https://host/${state}?x=1`, tags: ["blue"] },
    changed: `2026-01-0${9 - index}T00:00:00.000Z`,
}]));
const get = (id) => all.get(id);

test("a view shows the downloads of its states, and counts them", () => {
    for (const view of VIEWS) {
        const found = shown([...all.keys()], get, view, "");
        assert.equal(found.length, view.states?.length ?? 6, view.id);
        assert.equal(countOf(view, Object.fromEntries(STATES.map((state) => [state, 2]))), found.length * 2);
    }
    assert.deepEqual(shown([...all.keys()], get, viewOf("history"), ""), [4, 5, 6]);
    assert.deepEqual(shown([6, 5, 4], get, viewOf("history"), ""), [4, 5, 6]);
    assert.equal(viewOf("nonsense").id, "all");
});

test("a search wants every word, somewhere, in any case", () => {
    const find = (text) => shown([...all.keys()], get, viewOf("all"), text);
    assert.deepEqual(find("paused"), [3]);
    assert.deepEqual(find("  NAME iso  "), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(find("blue failed"), [5]);
    assert.deepEqual(find("blue absent"), []);
    const renamed = { ...get(1), path: "/d/else.bin" };
    assert.ok(matches(get(1), viewOf("all"), ["waiting"]) && matches(renamed, viewOf("all"), ["else"]));
});

const failed = [["notFound", "http://a.example/1"], ["notFound", "http://b.example:81/2"], ["timedOut", "http://a.example/3"], ["tlsFailed", "x"]]
    .map(([code, url], index) => ({ id: index + 1, state: "failed", name: `f${index}`, request: { url }, error: { code } }));

test("code: and host: find whole codes and hosts", () => {
    const find = (text) => failed.filter((download) => matches(download, viewOf("all"), text.toLowerCase().split(" "))).map(({ id }) => id);
    assert.deepEqual(find("code:notFound"), [1, 2]);
    assert.deepEqual(find("code:not"), []);
    assert.deepEqual(find("host:a.example"), [1, 3]);
    assert.deepEqual(find("host:b.example code:notfound f1"), [2]);
    assert.deepEqual(failed.map(hostOf), ["a.example", "b.example", "a.example", ""]);
    const expired = { state: "waiting", name: "e", request: { url: "" }, wait: { reason: "linkExpired", error: { code: "linkExpired" } } };
    assert.ok(matches(expired, viewOf("all"), ["code:linkexpired"]));
    assert.ok(!matches(get(1), viewOf("all"), ["code:notfound"]));
});

test("the reasons of failures are counted, most frequent first", () => {
    assert.deepEqual(reasons(failed).map(({ search, many }) => [search, many]), [
        ["code:notFound", 2], ["code:timedOut", 1], ["code:tlsFailed", 1], ["host:a.example", 2], ["host:b.example", 1],
    ]);
    assert.deepEqual(reasons(failed, 1).map(({ name }) => name), ["notFound", "a.example"]);
    assert.deepEqual(reasons(failed.slice(0, 1)).map(({ name }) => name), ["notFound"]);
    assert.deepEqual(reasons([]), []);
});

test("a reason is added to the search in place of another of its kind, and removed again", () => {
    assert.equal(toggled("", "code:notFound"), "code:notFound");
    assert.equal(toggled("iso code:timedOut", "code:notFound"), "iso code:notFound");
    assert.equal(toggled("iso code:notfound host:h", "code:notFound"), "iso host:h");
    assert.equal(toggled("code:notFound", "host:h"), "code:notFound host:h");
});

test("each state has the verbs that fit it", () => {
    const fitting = (state) => Object.keys(VERBS).filter((verb) => fits(verb, { state })).join(" ");
    assert.deepEqual(STATES.map(fitting), [
        "pause start cancel remove", "pause cancel remove", "resume start cancel remove", "remove", "retry remove", "retry remove",
    ]);
    assert.deepEqual(STATES.map((state) => mainVerb({ state })), ["pause", "pause", "resume", undefined, "retry", "retry"]);
    const both = (...states) => pauseOrResume(states.map((state) => ({ state })));
    assert.deepEqual([both("paused", "running"), both("paused", "failed"), both()], ["pause", "resume", "resume"]);
});

/// Does moves as the daemon does: taken out, and put to its new place.
function carriedOut(order, wanted) {
    const result = [...order];
    for (const { id, to } of wanted) {
        result.splice(result.indexOf(id), 1);
        result.splice(to, 0, id);
    }
    return result;
}

test("moves keep a block's order, and go past what is seen", () => {
    const order = ["a", "x", "b", "y", "c"];
    const cases = [
        ["up", ["b"], order, "abxyc"], ["up", ["b"], ["a", "b", "c"], "baxyc"],
        ["up", ["b", "c"], ["a", "b", "c"], "bcaxy"], ["up", ["a", "b"], ["a", "b", "c"], "axbyc"],
        ["down", ["a", "b"], ["a", "b", "c"], "xycab"], ["down", ["a"], order, "xabyc"],
        ["down", ["b", "c"], ["a", "b", "c"], "axbyc"], ["top", ["c", "b"], ["a", "b", "c"], "bcaxy"],
        ["bottom", ["a", "b"], ["a", "b", "c"], "xycab"], ["sideways", ["a"], order, "axbyc"],
    ];
    for (const [where, chosen, seen, expected] of cases) {
        assert.equal(carriedOut(order, moves(where, chosen, order, seen)).join(""), expected, `${where} ${chosen} of ${seen}`);
    }
});

test("one that is dropped stands before the one it was dropped on", () => {
    const order = [1, 2, 3, 4];
    for (const id of order) {
        for (const next of [1, 2, 3, 4, undefined]) {
            const move = dropBefore(id, next, order, order);
            const result = carriedOut(order, move ? [move] : []);
            const rest = order.filter((each) => each !== id);
            if (next !== id) rest.splice(next === undefined ? 3 : rest.indexOf(next), 0, id);
            assert.deepEqual(result, next === id ? order : rest, `${id} before ${next}`);
        }
    }
});

test("one that is dropped below the last one of a search stands directly after it", () => {
    const order = [1, 2, 3, 4, 5, 6];
    const dropped = (id, next) => {
        const move = dropBefore(id, next, order, [1, 3, 5]);
        return move ? carriedOut(order, [move]) : undefined;
    };
    assert.deepEqual(dropped(1, undefined), [2, 3, 4, 5, 1, 6]);
    assert.deepEqual(dropped(3, undefined), [1, 2, 4, 5, 3, 6]);
    assert.deepEqual(dropped(5, 1), [5, 1, 2, 3, 4, 6]);
    // At its own place it stays there, past hidden ones, too.
    for (const [id, next] of [[5, undefined], [3, 5], [1, 3], [3, 3]]) assert.equal(dropped(id, next), undefined, `${id} before ${next}`);
    // The last one that is shown has just been removed.
    assert.equal(dropBefore(1, undefined, [1, 2, 3], [1, 9]), undefined);
});

test("a selection toggles, extends from its anchor, and forgets what is gone", () => {
    const list = [1, 2, 3, 4, 5];
    const selection = new Selection();
    selection.stand(2);
    assert.deepEqual(selection.subject, [2]);
    selection.toggle(2);
    selection.extend(4, list);
    assert.deepEqual(selection.subject, [2, 3, 4]);
    selection.extend(1, list);
    assert.deepEqual(selection.subject, [1, 2]);
    selection.stand(3);
    selection.keep([1, 5], list);
    assert.deepEqual([selection.subject, selection.current], [[1], 5]);
    selection.clear();
    selection.keep([1], [1, 5]);
    assert.deepEqual(selection.subject, [1]);
    selection.keep([], [1]);
    assert.deepEqual([selection.subject, selection.current], [[], undefined]);
});

test("keys lead through the list and stop at its ends", () => {
    const cases = [["ArrowDown", 0, 1], ["ArrowUp", 0, 0], ["PageDown", 0, 4], ["End", 2, 9], ["Home", 5, 0], ["ArrowDown", 9, 9]];
    for (const [key, from, to] of cases) assert.equal(target(key, from, 10, 4), to);
    assert.equal(target("x", 0, 10, 4), undefined);
    assert.equal(target("End", -1, 0, 4), undefined);
});
