// Finds links in pasted, dropped or typed text.

/// Returns the http and https links in a text, without repetition, in order.
///
/// A line without spaces that begins with a scheme is a link as a whole. In other lines links are between words:
/// there the brackets and full stops after a link are not part of it.
export function links(text) {
    const found = new Set();
    for (const line of text.split(/[\r\n]+/)) {
        for (const link of linksInLine(line.trim())) if (isLink(link)) found.add(link);
    }
    return [...found];
}

function linksInLine(line) {
    if (/^https?:\/\/\S+$/i.test(line)) return [line];
    return [...line.matchAll(/https?:\/\/[^\s<>"'`]+/gi)].map((match) => trimmed(match[0]));
}

/// Returns what was not added of a text: the lines without a link and the refused links, in order, each with its reason.
///
/// `refused` has the daemon's reason for each refused link.
export function leftOver(text, refused) {
    const found = new Map();
    for (const line of text.split(/[\r\n]+/).map((each) => each.trim()).filter((each) => each !== "")) {
        const inLine = links(line);
        if (inLine.length === 0) found.set(line, "not an http or https link");
        for (const link of inLine) if (refused.has(link)) found.set(link, refused.get(link));
    }
    return [...found].map(([line, reason]) => ({ line, reason }));
}

function isLink(text) {
    try {
        return new URL(text).hostname !== "";
    } catch {
        return false;
    }
}

const PAIRS = { ")": "(", "]": "[" };

function trimmed(link) {
    let text = link;
    for (;;) {
        const last = text.at(-1);
        const open = PAIRS[last];
        const unpaired = open && text.split(last).length > text.split(open).length;
        if (!unpaired && !".,;:!?".includes(last)) return text;
        text = text.slice(0, -1);
    }
}
