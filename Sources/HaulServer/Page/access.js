// Asks for the token if the daemon requires one.

import { keepToken } from "./api.js";
import { ending, field, isDialogOpen, openDialog } from "./dialog.js";
import { element } from "./dom.js";

let isAsking = false;

/// Asks for the token, keeps it for this tab, and then calls `retry`.
export function askForToken(retry) {
    if (isAsking) return;
    isAsking = true;
    for (const open of document.querySelectorAll("dialog[open]")) if (isDialogOpen()) open.close();
    const input = element("input", { name: "token", type: "password", autocomplete: "off", spellcheck: "false", autofocus: true });
    const hint = "To open this page with the token, run: haul open. The token is in the file named token in the daemon's state folder. "
        + "It is kept for this tab only.";
    openDialog("Enter the daemon's token", [field("Token", input, hint), ending("Continue")], {
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
