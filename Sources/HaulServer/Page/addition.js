// Converts a completed form to API messages: pure functions.

import { parseBytes } from "./format.js";

/// Returns the fields of a form, from pairs of a name and a value: without spaces around the values, except around the
/// password, of which they may be a part.
export function fieldsOf(entries) {
    return Object.fromEntries([...entries].map(([name, value]) => [name, name === "password" ? value : value.trim()]));
}

/// Returns the requests of a form's fields, one for each link; throws an Error that names the invalid field.
export function requests(links, fields) {
    const shared = { ...queue(fields), ...transfer(fields), ...access(fields) };
    if (fields.folder) shared.folder = fields.folder;
    if (fields.onConflict && fields.onConflict !== "fail") shared.onConflict = fields.onConflict;
    const single = {};
    if (fields.name) single.name = fields.name;
    if (fields.checksum) single.checksum = fields.checksum;
    if (links.length > 1 && Object.keys(single).length > 0) {
        throw new Error("A file name or checksum applies to a single link: add that link alone");
    }
    return links.map((url) => ({ url, ...shared, ...single }));
}

function queue(fields) {
    const asked = {};
    if (fields.group) asked.group = fields.group;
    if (fields.priority) asked.priority = whole(fields.priority, "The priority", -1000, 1000);
    if (fields.start === "paused") asked.startsPaused = true;
    if (fields.start === "once") asked.startsAtOnce = true;
    return asked;
}

function transfer(fields) {
    const asked = {};
    if (fields.connections) {
        asked.connections = { mode: fields.mode || "automatic", limit: whole(fields.connections, "Connections", 1, 256) };
    } else if (fields.mode === "fixed") throw new Error("Enter the number of connections to use exactly");
    if (fields.rateLimit) asked.rateLimit = rate(fields.rateLimit);
    return asked;
}

function access(fields) {
    const asked = {};
    if (fields.user) asked.user = fields.user;
    if (fields.password) asked.password = fields.password;
    if (fields.bearerToken) asked.bearerToken = fields.bearerToken;
    if (fields.headers?.trim()) asked.headers = headers(fields.headers);
    return asked;
}

/// Parses lines of the form `Name: value`.
export function headers(text) {
    return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => {
        const colon = line.indexOf(":");
        if (colon < 1) throw new Error("Enter each header as Name: value, one per line");
        return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
    });
}

/// Parses a whole number within bounds.
export function whole(text, what, least, most) {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) {
        throw new Error(`${what} must be a whole number from ${least} to ${most}`);
    }
    return value;
}

/// Parses a rate limit in bytes per second; 0 for none.
export function rate(text) {
    const value = parseBytes(text);
    if (value === undefined) throw new Error(`Invalid speed "${text}": enter bytes per second, such as 500K or 2M`);
    return value;
}

/// Returns the change of settings that a form asks for; an empty field removes the limit.
export function patch(fields) {
    const number = (text, what, least) => (text === "" ? null : whole(text, what, least, 100_000));
    return {
        jobs: number(fields.jobs, "Downloads at once", 0),
        jobsPerHost: number(fields.jobsPerHost, "Downloads at once per host", 1),
        order: fields.order,
        rateLimit: rate(fields.rateLimit) || null,
        rateSchedule: fields.rateSchedule || null,
    };
}

/// Returns the change of one download's limits that a form asks for: only the fields that differ from what was `shown`,
/// since another client may have changed the others.
export function limitChange(fields, shown) {
    const asked = {};
    if (fields.rateLimit !== shown.rateLimit) asked.rateLimit = rate(fields.rateLimit);
    if (fields.priority !== shown.priority) asked.priority = whole(fields.priority, "The priority", -1000, 1000);
    return asked;
}

/// Splits requests into portions that fit into one body each.
export function portions(all, most = 900_000) {
    const found = [];
    let length = Infinity;
    for (const request of all) {
        const size = new TextEncoder().encode(JSON.stringify(request)).length + 1;
        if (length + size > most) {
            found.push([]);
            length = 0;
        }
        found.at(-1).push(request);
        length += size;
    }
    return found;
}
