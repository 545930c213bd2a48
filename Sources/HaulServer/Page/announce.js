// Announcements: for screen readers, and short messages on the screen.

import { byID, element, iconButton } from "./dom.js";
import { errorText } from "./words.js";

const SHOWN = 6000;
const GATHERED = 700;
let waiting = [];
let timer;

/// Has a screen reader read a sentence; many at once are replaced by their number.
export function announce(sentence) {
    waiting.push(sentence);
    timer ??= setTimeout(() => {
        const said = waiting.length > 3 ? `${waiting.length} changes, most recently: ${waiting.at(-1)}` : waiting.join(". ");
        byID("announcer").textContent = said;
        waiting = [];
        timer = undefined;
    }, GATHERED);
}

/// Shows a message for a while.
export function tell(sentence) {
    announce(sentence);
    const message = show(sentence, "message");
    setTimeout(() => message.remove(), SHOWN);
}

/// Shows an error until the user dismisses it; returns the message, which the caller may remove once the error is over.
export function tellError(error, what = "") {
    if (error?.name === "AbortError") return undefined;
    const message = show(`${what}${what ? ": " : ""}${errorText(error)}`, "message error");
    message.setAttribute("role", "alert");
    return message;
}

function show(sentence, kind) {
    const close = iconButton("close", "Dismiss", { onclick: () => message.remove() });
    const message = element("div", { class: kind }, element("span", { text: sentence }), close);
    const place = byID("messages");
    while (place.childElementCount > 3) place.firstElementChild.remove();
    place.append(message);
    return message;
}
