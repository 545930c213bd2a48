// Asks for the token where the daemon wants one.

import { keepToken } from "./api.js";
import { ending, field, isDialogOpen, openDialog } from "./dialog.js";
import { element } from "./dom.js";

let isAsking = false;

/// Asks, keeps the answer for this tab, and then calls `retry`.
export function askForToken(retry) {
    if (isAsking) return;
    isAsking = true;
    for (const open of document.querySelectorAll("dialog[open]")) if (isDialogOpen()) open.close();
    const input = element("input", { name: "token", type: "password", autocomplete: "off", spellcheck: "false", autofocus: true });
    const hint = "It is in the file token of the daemon's state folder. It stays in this tab only. "
        + "The command haul open opens the page with it.";
    openDialog("The daemon wants its token", [field("Token", input, hint), ending("Go on")], {
        kind: "small",
        onsubmit: (form, dialog) => {
            if (input.value.trim() === "") return;
            keepToken(input.value);
            dialog.close();
        },
        onclose: () => {
            isAsking = false;
            retry();
        },
    });
}
