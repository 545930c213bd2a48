// The settings of one download that can be changed: its limit, its priority and its source.

import { attempt } from "./actions.js";
import { limitChange } from "./addition.js";
import { tell } from "./announce.js";
import { api } from "./api.js";
import { field } from "./dialog.js";
import { element } from "./dom.js";
import { writeBytes } from "./format.js";

/// Makes the form for the limit and the priority of a download; `update(download)` shows its values in the fields that
/// the user has not edited.
export function tuning(id, store) {
    const limit = element("input", { name: "limit", placeholder: "none", spellcheck: "false" });
    const order = element("input", { name: "priority", inputmode: "numeric" });
    const update = ({ request }) => {
        follow(limit, request.rateLimit ? writeBytes(request.rateLimit) : "");
        follow(order, String(request.priority ?? 0));
    };
    const made = form("Limits", "Set", [field("Speed limit", limit), field("Priority", order)], async () => {
        const { name } = store.get(id);
        const asked = limitChange(
            { rateLimit: limit.value, priority: order.value }, { rateLimit: limit.defaultValue, priority: order.defaultValue });
        if (Object.keys(asked).length === 0) {
            tell(`The limits of ${name} are unchanged`);
            return;
        }
        await store.request(() => api.change(id, asked), (changed) => store.put(changed));
        for (const input of [limit, order]) input.defaultValue = input.value;
        const changed = store.get(id);
        if (changed) update(changed);
        tell(`Limits set for ${name}`);
    });
    return { element: made, update };
}

/// Makes a value the default of a field, and shows it unless the user has edited the field.
function follow(input, value) {
    if (input.defaultValue === value) return;
    const isEdited = input.value !== input.defaultValue;
    input.defaultValue = value;
    if (!isEdited) input.value = value;
}

/// Makes the form for a new link, which keeps the downloaded bytes; `update(download)` opens it when the link has expired.
export function replacement(id, store) {
    const link = element("input", { name: "url", type: "url", placeholder: "https://…", spellcheck: "false", autocomplete: "off" });
    const summary = element("summary", { text: "Use a new link" });
    const fields = [field("Link to the same file", link, "The data downloaded so far is kept and checked against the new link.")];
    let isWanted = false;
    const made = form("New link", "Use", fields, async () => {
        const { name } = store.get(id);
        await store.request(() => api.replaceSource(id, { url: link.value.trim() }), (changed) => store.put(changed));
        link.value = "";
        if (place.contains(document.activeElement)) summary.focus();
        [place.open, isWanted] = [false, false];
        tell(`New link set for ${name}`);
    });
    const place = element("details", {}, summary, made);
    const update = ({ wait }) => {
        const wasWanted = isWanted;
        isWanted = wait?.reason === "linkExpired";
        if (isWanted !== wasWanted && (isWanted || link.value === "")) place.open = isWanted;
    };
    return { element: place, update };
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
