// Finds links in pasted, dropped or typed text.

const BEGINNING = /^https?:\/\//i;
const FILE_ENDING = /\.[a-z0-9]{1,8}$/i;

/// Returns the http and https links in a text, without repetition, in order.
///
/// A line without spaces that begins with a scheme is a link as a whole. In other lines links are between words:
/// there the brackets and full stops after a link are not part of it. An unclear line has no link.
export function links(text) {
    return [...new Set(lines(text).flatMap(linksInLine))];
}

/// Returns what of a text belongs in the form: its links, and its unclear lines as they are, which the user can correct.
export function candidates(text) {
    return [...new Set(lines(text).flatMap((line) => (isUnclear(line) ? [line] : linksInLine(line))))];
}

function lines(text) {
    return text.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== "");
}

/// Returns true if a line begins with a link, and has a word that ends like a file name, too: that may be a part of the
/// link, if it is that of a file name with spaces.
function isUnclear(line) {
    return BEGINNING.test(line) && line.split(/\s+/).some((word) => !BEGINNING.test(word) && FILE_ENDING.test(word));
}

function linksInLine(line) {
    if (isUnclear(line)) return [];
    const isWhole = BEGINNING.test(line) && !/\s/.test(line);
    const found = isWhole ? [line] : [...line.matchAll(/https?:\/\/[^\s<>"'`]+/gi)].map((match) => trimmed(match[0]));
    return found.filter(isLink);
}

/// Returns what was not added of a text: the lines without a link and the refused links, in order, each with its reason.
///
/// `refused` has the daemon's reason for each refused link.
export function leftOver(text, refused) {
    const found = new Map();
    for (const line of lines(text)) {
        const inLine = linksInLine(line);
        if (isUnclear(line)) found.set(line, "a link must not contain spaces: write %20 for each");
        else if (inLine.length === 0) found.set(line, "not an http or https link");
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
