// Formats numbers in the same units and words as the command line.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Formats an amount in the largest unit that it fills, rounded down: never shown as more than it is.
export function bytes(count) {
    let value = Math.max(0, Math.floor(count || 0));
    let power = 0;
    while (value >= 1024 && power < UNITS.length - 1) {
        value /= 1024;
        power += 1;
    }
    if (power === 0) return `${value} B`;
    if (value >= 1000) return `${Math.floor(value)} ${UNITS[power]}`;
    return `${(Math.floor(value * 10) / 10).toFixed(1)} ${UNITS[power]}`;
}

/// Formats bytes per second.
export function speed(perSecond) {
    return `${bytes(perSecond)}/s`;
}

/// Formats a part of a whole in per cent, rounded down: 100 % only for the whole.
export function percent(fraction) {
    return `${Math.floor(Math.min(1, Math.max(0, fraction)) * 100)} %`;
}

/// Formats a remaining time in at most two units: `7s`, `4m05s`, `3h20m`, `2d01h`; rounded up to whole seconds.
export function duration(seconds) {
    if (!Number.isFinite(seconds) || seconds < 0) return "";
    if (seconds > 100 * 86400 - 1) return "over 99d";
    const whole = Math.ceil(seconds);
    const two = (number) => String(Math.floor(number)).padStart(2, "0");
    if (whole < 60) return `${whole}s`;
    if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
    if (whole < 86400) return `${Math.floor(whole / 3600)}h${two((whole % 3600) / 60)}m`;
    return `${Math.floor(whole / 86400)}d${two((whole % 86400) / 3600)}h`;
}

/// Formats a time in the user's time zone: without the date if it is today.
export function moment(text, now = new Date()) {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) return "";
    const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    if (date.toDateString() === now.toDateString()) return time;
    return `${date.toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" })}, ${time}`;
}

/// Formats a number with the right form of its noun.
export function count(number, one, many = `${one}s`) {
    return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/// Parses `500K`, `2M`, `1.5 GiB` or a plain number of bytes, as the command line does; empty is 0, invalid is undefined.
export function parseBytes(text) {
    const trimmed = text.trim().toLowerCase();
    if (trimmed === "") return 0;
    const match = /^(\d+(?:\.\d+)?)\s*([bkmgtpe]?)(?:i?b)?(?:\/s)?$/.exec(trimmed);
    if (!match) return undefined;
    const power = Math.max(0, "bkmgtpe".indexOf(match[2] || "b"));
    const value = Math.ceil(Number(match[1]) * 1024 ** power);
    return Number.isSafeInteger(value) ? value : undefined;
}

/// Formats an amount exactly, in a form that `parseBytes` reads: `2M`, `1536K`, `1000`.
export function writeBytes(value) {
    let rest = value;
    let power = 0;
    while (rest > 0 && rest % 1024 === 0 && power < 6) {
        rest /= 1024;
        power += 1;
    }
    return `${rest}${"BKMGTPE"[power].replace("B", "")}`;
}
