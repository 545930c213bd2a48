// Reads Server-Sent Events (HTML, section 9.2.6) from text that comes in pieces.

/// A parser: `feed` takes the next piece and returns the events that it completes, each with `name`, `data` and `id`.
export class EventStreamReader {
    #rest = "";
    #name = "";
    #data = [];
    #started = false;
    /// The id of the last event that had one; undefined before.
    lastID = undefined;

    feed(piece) {
        let text = this.#rest + piece;
        if (!this.#started && text !== "") {
            this.#started = true;
            if (text.startsWith("\uFEFF")) text = text.slice(1);
        }
        // A CR at the very end may be the first half of CR LF.
        const isCut = text.endsWith("\r");
        const lines = (isCut ? text.slice(0, -1) : text).split(/\r\n|\n|\r/);
        this.#rest = lines.pop() + (isCut ? "\r" : "");
        const events = [];
        for (const line of lines) {
            const event = this.#take(line);
            if (event) events.push(event);
        }
        return events;
    }

    #take(line) {
        if (line === "") return this.#dispatch();
        if (line.startsWith(":")) return undefined;
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") this.#name = value;
        if (field === "data") this.#data.push(value);
        if (field === "id" && !value.includes("\0")) this.lastID = value;
        return undefined;
    }

    #dispatch() {
        const [name, data] = [this.#name || "message", this.#data];
        this.#name = "";
        this.#data = [];
        return data.length > 0 ? { name, data: data.join("\n"), id: this.lastID } : undefined;
    }
}
