import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, count, duration, parseBytes, percent, speed, writeBytes } from "../page/format.js";

test("amounts are in the largest unit that they fill, and rounded down", () => {
    const expected = {
        0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KiB", 1535: "1.4 KiB", 1536: "1.5 KiB", 1023999: "999.9 KiB",
        1024000: "1000 KiB", 1048575: "1023 KiB", 1048576: "1.0 MiB", 67108864: "64.0 MiB", 1099511627776: "1.0 TiB",
    };
    for (const [value, text] of Object.entries(expected)) assert.equal(bytes(Number(value)), text);
    assert.equal(bytes(2 ** 63), "8.0 EiB");
    assert.equal(bytes(-5), "0 B");
    assert.equal(bytes(undefined), "0 B");
    assert.equal(speed(1048576), "1.0 MiB/s");
});

test("100 % is the whole only", () => {
    assert.deepEqual([0, 0.5, 0.9999, 1, 2, -1].map(percent), ["0 %", "50 %", "99 %", "100 %", "100 %", "0 %"]);
});

test("times left are rounded up, as on the command line", () => {
    const expected = {
        0: "0s", 0.2: "1s", 59.1: "1m00s", 60: "1m00s", 65: "1m05s", 3599: "59m59s", 3600: "1h00m", 7380: "2h03m",
        86399: "23h59m", 86400: "1d00h", 273600: "3d04h", 8640000: "over 99d",
    };
    for (const [value, text] of Object.entries(expected)) assert.equal(duration(Number(value)), text);
    for (const nonsense of [NaN, Infinity, -1, undefined]) assert.equal(duration(nonsense), "");
});

test("amounts are read as the command line reads them", () => {
    const expected = { "": 0, 1000: 1000, "500K": 512000, "2M": 2097152, "1.5 GiB": 1610612736, "1kb": 1024, " 3 B ": 3, "2M/s": 2097152 };
    for (const [text, value] of Object.entries(expected)) assert.equal(parseBytes(text), value, text);
    for (const text of ["x", "-1", "1.M", "2 MM", "1e3", "9999999E", "5 apples"]) assert.equal(parseBytes(text), undefined, text);
});

test("what is written is read as the same amount", () => {
    for (const value of [1, 1000, 1024, 1536, 2097152, 3 * 1024 ** 3, 5 * 1024 ** 4 + 1]) {
        assert.equal(parseBytes(writeBytes(value)), value);
    }
});

test("numbers have the fitting form of their noun", () => {
    assert.deepEqual([0, 1, 2, 12345].map((each) => count(each, "link")), ["0 links", "1 link", "2 links", "12,345 links"]);
});
