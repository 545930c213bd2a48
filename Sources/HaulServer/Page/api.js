// Requests to the daemon. The token is sent as a header, never as part of a URL.

const BASE = new URL("api/v1/", globalThis.document?.baseURI ?? "http://localhost/");
const TOKEN = "haul.token";

/// The reason why a request failed: the daemon's own error, or that it could not be reached.
export class APIError extends Error {
    constructor(status, error) {
        super(error.message);
        this.status = status;
        this.code = error.code;
        this.cause = error.cause;
    }
}

/// Takes the token of the page's own URL (`#token=...`) and removes it from the address bar and the history.
export function takeToken(place = location, past = history) {
    const match = /^#token=(.+)$/.exec(place.hash);
    if (!match) return;
    keepToken(decodeURIComponent(match[1]));
    past.replaceState(null, "", place.pathname + place.search);
}

/// Keeps a token until the tab is closed.
export function keepToken(token) {
    sessionStorage.setItem(TOKEN, token.trim());
}

/// Sends a request with the token; returns the raw response.
export async function send(method, path, { body, headers, signal } = {}) {
    const fields = new Headers(headers);
    const token = sessionStorage.getItem(TOKEN);
    if (token) fields.set("Authorization", `Bearer ${token}`);
    if (method !== "GET" && method !== "DELETE") fields.set("Content-Type", "application/json");
    let response;
    try {
        response = await fetch(new URL(path, BASE), { method, body, headers: fields, signal, cache: "no-store" });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new APIError(0, { code: "connectionFailed", message: "The daemon is not responding" });
    }
    if (!response.ok) throw await failure(response);
    return response;
}

async function failure(response) {
    let error;
    try {
        error = await response.json();
    } catch {
        error = undefined;
    }
    const message = error?.message ?? `The daemon returned ${response.status}`;
    return new APIError(response.status, { code: error?.code ?? "badResponse", message, cause: error?.cause });
}

/// Sends a request whose response is a message; returns undefined if it has none.
export async function ask(method, path, message) {
    const body = message === undefined ? undefined : JSON.stringify(message);
    const response = await send(method, path, { body });
    return response.status === 204 ? undefined : response.json();
}

/// The operations of the daemon.
export const api = {
    info: () => ask("GET", "info"),
    page: (query) => ask("GET", `downloads?${new URLSearchParams(query)}`),
    add: (request) => ask("POST", "downloads", request),
    addMany: (downloads) => ask("POST", "downloads/batch", { downloads }),
    act: (action) => ask("POST", "downloads/actions", action),
    show: (id) => ask("GET", `downloads/${id}`),
    command: (id, verb, message = {}) => ask("POST", `downloads/${id}/${verb}`, message),
    change: (id, change) => ask("PATCH", `downloads/${id}`, change),
    remove: (id, files) => ask("DELETE", `downloads/${id}?files=${files}`),
    replaceSource: (id, source) => ask("PUT", `downloads/${id}/source`, source),
    segments: (id) => ask("GET", `downloads/${id}/segments`),
    explanation: (id) => ask("GET", `downloads/${id}/explanation`),
    settings: () => ask("GET", "settings"),
    changeSettings: (patch) => ask("PATCH", "settings", patch),
    resetSettings: () => ask("DELETE", "settings"),
};
