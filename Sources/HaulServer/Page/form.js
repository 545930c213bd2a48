// The form that adds downloads.

import { tell } from "./announce.js";
import { portions, requests } from "./addition.js";
import { api } from "./api.js";
import { choice, ending, field, openDialog, problemLine } from "./dialog.js";
import { element, setText } from "./dom.js";
import { count } from "./format.js";
import { links, otherLines } from "./links.js";
import { errorText } from "./words.js";

const CONFLICTS = [
    ["fail", "fail"], ["rename", "take another name"], ["replace", "replace it when the new one is complete"],
    ["keep", "keep it if it is the same"], ["skip", "keep it whatever it is"],
];
const STARTS = [["turn", "when its turn comes"], ["once", "at once, beyond the limits"], ["paused", "paused"]];

/// Opens the form, with the links of a text in it; `info` is what the daemon tells of itself.
export function openForm(info, text = "") {
    const found = links(text);
    const area = element("textarea", { name: "links", rows: "5", autofocus: true, spellcheck: "false", wrap: "off" });
    area.value = found.length > 0 ? `${found.join("\n")}\n` : text;
    const problem = problemLine();
    const number = element("small", { "aria-live": "polite" });
    const recount = () => setText(number, area.value.trim() === "" ? "" : count(links(area.value).length, "link"));
    area.addEventListener("input", recount);
    recount();
    const content = [
        field("Links, one a line", area), number, ...main(info), options(), access(), problem, ending("Add"),
    ];
    return openDialog("Add downloads", content, {
        onsubmit: (form, dialog, submitter) => submit({ form, dialog, submitter, area, problem }),
    });
}

function main(info) {
    const roots = element("datalist", { id: "roots" }, ...(info?.roots ?? []).map((value) => element("option", { value })));
    const folder = element("input", { name: "folder", list: "roots", placeholder: info?.roots?.[0] ?? "", spellcheck: "false" });
    return [field("Folder", folder, "Below one of the daemon's folders; nothing is the usual one."), roots];
}

function options() {
    const text = (name, attributes = {}) => element("input", { name, spellcheck: "false", ...attributes });
    return group("Options", [
        field("File name", text("name"), "For one link; otherwise the server's."),
        field("Start", choice("start", STARTS, "turn")),
        field("If a file is there", choice("onConflict", CONFLICTS, "fail")),
        field("Speed limit", text("rateLimit", { placeholder: "none" }), "Bytes per second, such as 500K or 2M."),
        field("Connections", text("connections", { inputmode: "numeric", placeholder: "6" })),
        field("That many are", choice("mode", [["automatic", "the most; as many as pay"], ["fixed", "exact"]], "automatic")),
        field("Checksum", text("checksum", { placeholder: "sha256:…" }), "The digest that the one file must have."),
        field("Priority", text("priority", { inputmode: "numeric", placeholder: "0" }), "-1000 to 1000; higher ones start first."),
        field("Group", text("group")),
    ]);
}

function access() {
    const text = (name, type = "text") => element("input", { name, type, autocomplete: "off", spellcheck: "false" });
    const headers = element("textarea", { name: "headers", rows: "2", spellcheck: "false", placeholder: "Referer: https://…" });
    return group("User, password, headers", [
        field("User", text("user")), field("Password", text("password", "password")),
        field("Bearer token", text("bearerToken", "password")),
        field("Headers", headers, "One a line. What is secret is never told again."),
    ]);
}

/// Fields that are seen when they are asked for.
function group(title, fields) {
    return element("details", {}, element("summary", { text: title }), element("div", { class: "fields" }, ...fields));
}

async function submit({ form, dialog, submitter, area, problem }) {
    setText(problem, "");
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
    const found = links(area.value);
    const other = otherLines(area.value);
    if (found.length === 0 || other.length > 0) {
        setText(problem, other.length > 0 ? `"${other[0]}" is no http or https link` : "Write or paste at least one link");
        area.focus();
        return;
    }
    if (submitter) submitter.disabled = true;
    try {
        const failures = await add(requests(found, fields));
        if (failures.length === 0) dialog.close();
        else showFailures(failures, area, problem);
    } catch (error) {
        setText(problem, errorText(error));
    } finally {
        if (submitter) submitter.disabled = false;
    }
}

/// Adds them; the answer has those that were refused, with the reason.
async function add(asked) {
    if (asked.length === 1) {
        const download = await api.add(asked[0]);
        tell(`Added ${download.name}`);
        return [];
    }
    const failures = [];
    for (const portion of portions(asked)) {
        const { results } = await api.addMany(portion);
        results.forEach(({ error }, index) => {
            if (error) failures.push({ url: portion[index].url, error });
        });
    }
    if (failures.length < asked.length) tell(`Added ${count(asked.length - failures.length, "download")}`);
    return failures;
}

/// What was refused stays in the form.
function showFailures(failures, area, problem) {
    area.value = failures.map(({ url }) => url).join("\n");
    const lines = failures.slice(0, 5).map(({ url, error }) => `${url}: ${errorText(error)}`);
    if (failures.length > 5) lines.push(`and ${failures.length - 5} more`);
    setText(problem, lines.join("\n"));
}
