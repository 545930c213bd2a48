// The form that adds downloads.

import { tell } from "./announce.js";
import { fieldsOf, portions, requests } from "./addition.js";
import { api } from "./api.js";
import { choice, ending, field, openDialog, problemLine } from "./dialog.js";
import { element, setText } from "./dom.js";
import { count } from "./format.js";
import { candidates, leftOver, links } from "./links.js";
import { errorText } from "./words.js";

const CONFLICTS = [
    ["fail", "report an error"], ["rename", "save under another name"], ["replace", "replace it when the download is complete"],
    ["keep", "keep it if it is the same file"], ["skip", "keep it"],
];
const STARTS = [["turn", "when its turn comes"], ["once", "now, ignoring the limits"], ["paused", "paused"]];
// The maximum number of reasons that are shown.
const MOST_REASONS = 100;

/// Opens the form with the links of a text, or with the text if it has none; `info` is the daemon's description of itself.
export function openForm(info, text = "") {
    const found = candidates(text);
    const area = element("textarea", {
        name: "links", rows: "5", autofocus: true, spellcheck: "false", wrap: "off",
        text: found.length > 0 ? `${found.join("\n")}\n` : text,
    });
    const problem = problemLine();
    const reasons = element("ol", { id: "reasons", class: "reasons", "aria-label": "Lines that were not added" });
    const number = element("small", { "aria-live": "polite" });
    const recount = () => setText(number, area.value.trim() === "" ? "" : count(links(area.value).length, "link"));
    area.addEventListener("input", recount);
    recount();
    const content = [
        field("Links, one per line", area), number, reasons, ...main(info), options(), access(), problem, ending("Add"),
    ];
    return openDialog("Add downloads", content, {
        onsubmit: (form, dialog, submitter) => submit({ form, dialog, submitter, area, number, reasons, problem }),
    });
}

function main(info) {
    const roots = element("datalist", { id: "roots" }, ...(info?.roots ?? []).map((value) => element("option", { value })));
    const folder = element("input", { name: "folder", list: "roots", placeholder: info?.roots?.[0] ?? "", spellcheck: "false" });
    return [field("Folder", folder, "Inside one of the daemon's folders. Leave empty for the default."), roots];
}

function options() {
    const text = (name, attributes = {}) => element("input", { name, spellcheck: "false", ...attributes });
    return group("Options", [
        field("File name", text("name"), "For a single link. Leave empty for the server's name."),
        field("Start", choice("start", STARTS, "turn")),
        field("If the file exists", choice("onConflict", CONFLICTS, "fail")),
        field("Speed limit", text("rateLimit", { placeholder: "none" }), "Bytes per second, such as 500K or 2M."),
        field("Connections", text("connections", { inputmode: "numeric", placeholder: "6" })),
        field("Use of connections", choice("mode", [["automatic", "up to this number"], ["fixed", "exactly this number"]], "automatic")),
        field("Checksum", text("checksum", { placeholder: "sha256:…" }), "For a single link. The file must match it."),
        field("Priority", text("priority", { inputmode: "numeric", placeholder: "0" }), "-1000 to 1000. Higher priorities start first."),
        field("Group", text("group")),
    ]);
}

function access() {
    const text = (name, type = "text") => element("input", { name, type, autocomplete: "off", spellcheck: "false" });
    const headers = element("textarea", { name: "headers", rows: "2", spellcheck: "false", placeholder: "Referer: https://…" });
    return group("Login and headers", [
        field("User name", text("user")), field("Password", text("password", "password")),
        field("Bearer token", text("bearerToken", "password")),
        field("Headers", headers, "One per line. Secrets are never shown again."),
    ]);
}

/// Makes fields that are hidden until the user opens them.
function group(title, fields) {
    return element("details", {}, element("summary", { text: title }), element("div", { class: "fields" }, ...fields));
}

async function submit({ form, dialog, submitter, area, number, reasons, problem }) {
    setText(problem, "");
    const fields = fieldsOf(new FormData(form));
    const found = links(area.value);
    if (area.value.trim() === "") {
        setText(problem, "Enter at least one link");
        area.focus();
        return;
    }
    if (submitter) submitter.disabled = true;
    try {
        const refused = await add(requests(found, fields));
        const left = leftOver(area.value, refused);
        if (left.length === 0) dialog.close();
        else showLeftOver({ left, added: found.length - refused.size, area, number, reasons });
    } catch (error) {
        setText(problem, errorText(error));
    } finally {
        if (submitter) submitter.disabled = false;
    }
}

/// Adds the downloads; the result has the reason for each refused link.
async function add(asked) {
    const refused = new Map();
    for (const portion of portions(asked)) {
        const { results } = await api.addMany(portion);
        results.forEach(({ error }, index) => {
            if (error) refused.set(portion[index].url, errorText(error));
        });
    }
    if (refused.size < asked.length) tell(`Added ${count(asked.length - refused.size, "download")}`);
    return refused;
}

/// Keeps what was not added in the form, with the reason for each line below the field.
function showLeftOver({ left, added, area, number, reasons }) {
    area.value = left.map(({ line }) => line).join("\n");
    area.setAttribute("aria-invalid", "true");
    area.setAttribute("aria-describedby", reasons.id);
    setText(number, `${count(added, "download")} added, ${count(left.length, "line")} not added`);
    const items = left.slice(0, MOST_REASONS).map(({ line, reason }) =>
        element("li", {}, element("span", { text: line }), element("span", { class: "problem", text: reason })));
    if (left.length > MOST_REASONS) items.push(element("li", { text: `and ${left.length - MOST_REASONS} more` }));
    reasons.replaceChildren(...items);
    area.focus();
}
