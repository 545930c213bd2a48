// The settings of one download that can be changed: its limit, its priority and its source.

import { attempt } from "./actions.js";
import { rate, whole } from "./addition.js";
import { tell } from "./announce.js";
import { api } from "./api.js";
import { field } from "./dialog.js";
import { element } from "./dom.js";
import { writeBytes } from "./format.js";

/// Opens the form for limit and priority.
export function tuning(download, store) {
    const { rateLimit, priority } = download.request;
    const shown = rateLimit ? writeBytes(rateLimit) : "";
    const limit = element("input", { name: "limit", value: shown, placeholder: "none", spellcheck: "false" });
    const order = element("input", { name: "priority", value: String(priority ?? 0), inputmode: "numeric" });
    return form("Limits", "Set", [field("Speed limit", limit), field("Priority", order)], async () => {
        const change = { rateLimit: rate(limit.value), priority: whole(order.value, "The priority", -1000, 1000) };
        await store.request(() => api.change(download.id, change), (changed) => store.put(changed));
        tell(`Limits set for ${download.name}`);
    });
}

/// Opens the form for a new link; the downloaded bytes are kept.
export function replacement(download, store) {
    const link = element("input", { name: "url", type: "url", placeholder: "https://…", spellcheck: "false", autocomplete: "off" });
    const isWanted = download.wait?.reason === "linkExpired";
    const fields = [field("Link to the same file", link, "The data downloaded so far is kept and checked against the new link.")];
    const made = form("New link", "Use", fields, async () => {
        await store.request(
            () => api.replaceSource(download.id, { url: link.value.trim() }), (changed) => store.put(changed));
        link.value = "";
        tell(`New link set for ${download.name}`);
    });
    return element("details", { open: isWanted }, element("summary", { text: "Use a new link" }), made);
}

function form(label, submit, fields, work) {
    const made = element(
        "form", { "aria-label": label, novalidate: true, class: "inline" }, ...fields,
        element("button", { type: "submit", text: submit }));
    made.addEventListener("submit", (event) => {
        event.preventDefault();
        attempt(label, work);
    });
    return made;
}
