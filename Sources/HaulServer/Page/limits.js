// The limits over all downloads.

import { tell } from "./announce.js";
import { fieldsOf, patch } from "./addition.js";
import { api } from "./api.js";
import { choice, ending, field, openDialog, problemLine } from "./dialog.js";
import { button, element, setText } from "./dom.js";
import { writeBytes } from "./format.js";
import { attempt } from "./actions.js";
import { errorText } from "./words.js";

/// Opens the dialog with the current settings.
export async function openLimits(onchange) {
    await attempt("Limits", async () => show(await api.settings(), onchange));
}

function show(settings, onchange) {
    const text = (name, value, attributes = {}) =>
        element("input", { name, value: value ?? undefined, placeholder: "no limit", spellcheck: "false", ...attributes });
    const number = (name) => text(name, settings[name], { inputmode: "numeric" });
    const problem = problemLine();
    const back = button("Reset", { class: "left", title: "Use the limits of the configuration file again" });
    const dialog = openDialog("Limits", [
        field("Downloads at once", number("jobs"), "0 starts no downloads."),
        field("Downloads at once per host", number("jobsPerHost")),
        field("Speed limit", text("rateLimit", settings.rateLimit ? writeBytes(settings.rateLimit) : undefined),
            "Bytes per second for all downloads together, such as 500K or 2M."),
        field("Speed limit by time of day", text("rateSchedule", settings.rateSchedule, { placeholder: "22:00-06:00 unlimited, else 2M" }),
            "Replaces the speed limit above."),
        field("Order of downloads with equal priority",
            choice("order", [["fifo", "from the top of the list"], ["lifo", "from the bottom of the list"]], settings.order)),
        problem, ending("Set", back),
    ], { kind: "small", onsubmit: (form, open) => save(form, open, problem, onchange) });
    back.addEventListener("click", () => attempt("Limits", async () => {
        onchange(await api.resetSettings());
        tell("Limits reset to the configuration file");
        dialog.close();
    }));
}

async function save(form, dialog, problem, onchange) {
    setText(problem, "");
    try {
        onchange(await api.changeSettings(patch(fieldsOf(new FormData(form)))));
        dialog.close();
    } catch (error) {
        setText(problem, errorText(error));
    }
}
