// Asks which files to delete when downloads are removed.

import { element } from "./dom.js";
import { count } from "./format.js";
import { ending, openDialog } from "./dialog.js";

const CHOICES = [
    ["partial", "Delete partial files, keep finished files"],
    ["none", "Keep all files"],
    ["all", "Delete partial and finished files"],
];

/// Asks the user; resolves to `none`, `partial` or `all`, or undefined if the user cancels.
export function askForRemoval(downloads) {
    const { promise, resolve } = Promise.withResolvers();
    const what = downloads.length === 1 ? downloads[0].name : count(downloads.length, "download");
    const choices = CHOICES.map(([value, text], index) => {
        const input = element("input", { type: "radio", name: "files", value, checked: index === 0, autofocus: index === 0 });
        return element("label", { class: "tick" }, input, element("span", { text }));
    });
    const content = [
        element("p", { class: "subject", text: what }),
        element("fieldset", {}, element("legend", { text: "Remove from the list. Delete the files too?" }), ...choices),
        ending("Remove"),
    ];
    openDialog("Remove", content, {
        kind: "small",
        onsubmit: (form, dialog) => {
            resolve(new FormData(form).get("files"));
            dialog.close();
        },
        onclose: () => resolve(undefined),
    });
    return promise;
}
