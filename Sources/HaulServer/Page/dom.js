// Makes elements in code. Text from daemons, servers and clients becomes text, never markup.

/// Makes an element with attributes and children; strings among the children become text.
///
/// The attribute `text` is the element's text, `class` and others are set as they are, `false` and undefined are left out,
/// and functions whose names begin with `on` become event listeners.
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (key === "text") made.textContent = value;
        else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== undefined && child !== false));
    return made;
}

const SHAPES = {
    add: "M8 3v10M3 8h10",
    pause: "M5.5 3.5v9M10.5 3.5v9",
    resume: "M5 3.2v9.6L12.6 8z",
    cancel: "M3.5 3.5h9v9h-9z",
    remove: "M3 4.5h10M6.2 4.2V2.8h3.6v1.4M4.3 4.7l.6 8.5h6.2l.6-8.5M6.7 7v4M9.3 7v4",
    retry: "M12.7 8A4.7 4.7 0 1 1 11 4.4M11.3 1.8v2.9H8.4",
    limits: "M2.5 5h6M11.5 5h2M10 3.2v3.6M2.5 11h2M7.5 11h6M6 9.2v3.6",
    help: "M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12.4v.1",
    close: "M4 4l8 8M12 4l-8 8",
    top: "M3 2.8h10M8 13V5.8M4.8 8.8 8 5.6l3.2 3.2",
    up: "M8 13V3.6M4.4 7.2 8 3.6l3.6 3.6",
    down: "M8 3v9.4M4.4 8.8 8 12.4l3.6-3.6",
    bottom: "M3 13.2h10M8 3v7.2M4.8 7.2 8 10.4l3.2-3.2",
    start: "M3.5 3.2v9.6L9 8zM12 3.2v9.6",
    grip: "M6 3.5v.1M10 3.5v.1M6 8v.1M10 8v.1M6 12.5v.1M10 12.5v.1",
};

/// Makes an icon that screen readers ignore.
export function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    picture.setAttribute("viewBox", "0 0 16 16");
    picture.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", SHAPES[name]);
    picture.append(path);
    return picture;
}

/// Makes a button with an icon; its label is for screen readers and the tooltip.
export function iconButton(name, label, attributes = {}) {
    return element("button", { type: "button", class: "icon", "aria-label": label, title: label, ...attributes }, icon(name));
}

/// Makes a button with text, and an icon before it.
export function button(label, attributes = {}, picture = undefined) {
    return element("button", { type: "button", ...attributes }, picture && icon(picture), element("span", { text: label }));
}

/// Sets a text if it differs: setting it causes another announcement and layout.
export function setText(target, text) {
    if (target.textContent !== text) target.textContent = text;
}

/// Sets an attribute if it differs.
export function setAttribute(target, name, value) {
    if (value === undefined || value === false) {
        if (target.hasAttribute(name)) target.removeAttribute(name);
    } else if (target.getAttribute(name) !== String(value)) target.setAttribute(name, value);
}

/// Returns the element of the page with an id.
export function byID(id) {
    return document.getElementById(id);
}
