// Dialogs over the page: the browser's own, which keep the focus inside and restore it.

import { button, element, iconButton } from "./dom.js";

let number = 0;

/// Opens a dialog with a title and content; `onclose` is called when it closes.
///
/// A submitted form does not leave the page: `onsubmit` gets it, and closes the dialog on success. Ctrl + Enter submits.
/// Escape and elements with `data-dismiss` close the dialog, after a question if something was typed.
export function openDialog(title, content, { onsubmit, onclose, kind = "" } = {}) {
    number += 1;
    const heading = element("h2", { id: `dialog-${number}`, text: title });
    const close = iconButton("close", "Close", { "data-dismiss": true });
    const form = element("form", { novalidate: true, autocomplete: "off" }, element("header", {}, heading, close), ...content);
    const dialog = element("dialog", { class: kind, "aria-labelledby": heading.id }, form);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        onsubmit?.(form, dialog, event.submitter);
    });
    const dismiss = () => (isWritten(form) ? askToDiscard(dialog) : dialog.close());
    form.addEventListener("click", (event) => event.target.closest("[data-dismiss]") && dismiss());
    dialog.addEventListener("keydown", (event) => {
        if (event.isComposing) return;
        if (event.key === "Escape") {
            // Browsers do not let the page stop the second of two Escapes by its `cancel` event.
            event.preventDefault();
            dismiss();
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            form.querySelector("[type=submit]:enabled")?.click();
        }
    });
    dialog.addEventListener("cancel", (event) => {
        if (event.target !== dialog) return;
        event.preventDefault();
        dismiss();
    });
    dialog.addEventListener("close", () => {
        dialog.remove();
        onclose?.();
    });
    document.body.append(dialog);
    dialog.showModal();
    (dialog.querySelector("[autofocus]") ?? dialog.querySelector("input, textarea, select"))?.focus();
    return dialog;
}

/// Returns true if text was typed into a form.
function isWritten(form) {
    return [...form.elements].some((each) =>
        each.matches("textarea, input:not([type=checkbox], [type=radio])") && each.value !== each.defaultValue);
}

/// Closes a dialog if the user agrees to discard what was typed.
function askToDiscard(dialog) {
    const keep = button("Keep editing", { "data-dismiss": true, autofocus: true });
    const discard = element("button", { type: "submit", class: "main", text: "Discard" });
    openDialog("Discard what you typed?", [element("footer", {}, keep, discard)], {
        kind: "small",
        onsubmit: (form, question) => {
            question.close();
            dialog.close();
        },
    });
}

/// Returns true if a dialog is open.
export function isDialogOpen() {
    return document.querySelector("dialog[open]") !== null;
}

/// Makes a field with its label before it and an explanation after it.
export function field(label, input, hint = undefined) {
    number += 1;
    input.id ||= `field-${number}`;
    const note = hint && element("small", { id: `hint-${number}`, text: hint });
    if (note) input.setAttribute("aria-describedby", note.id);
    return element("p", { class: "field" }, element("label", { for: input.id, text: label }), input, note);
}

/// Makes a checkbox with its label after it.
export function tick(label, input) {
    input.type = "checkbox";
    return element("label", { class: "tick" }, input, element("span", { text: label }));
}

/// Makes a drop-down list of values and texts.
export function choice(name, options, chosen) {
    const made = options.map(([value, text]) => element("option", { value, text, selected: value === chosen }));
    return element("select", { name }, ...made);
}

/// Makes the buttons at the end of a dialog.
export function ending(label, ...others) {
    const submit = element("button", { type: "submit", class: "main", title: "Ctrl + Enter", text: label });
    return element("footer", {}, ...others, button("Cancel", { "data-dismiss": true }), submit);
}

/// Makes the line of a dialog for error messages.
export function problemLine() {
    return element("p", { class: "problem", role: "alert" });
}
