// The speeds of the last few minutes.

/// A fixed number of samples; the oldest one is dropped first.
export class Samples {
    #values;
    #next = 0;
    /// The number of samples.
    count = 0;

    constructor(room = 180) {
        this.#values = new Float64Array(room);
    }

    get room() {
        return this.#values.length;
    }

    add(value) {
        this.#values[this.#next] = Number.isFinite(value) ? Math.max(0, value) : 0;
        this.#next = (this.#next + 1) % this.room;
        this.count = Math.min(this.room, this.count + 1);
    }

    /// The samples, the oldest one first.
    values() {
        const first = (this.#next - this.count + this.room) % this.room;
        return Array.from({ length: this.count }, (_, index) => this.#values[(first + index) % this.room]);
    }
}

/// Returns the value at the top of a graph: above all values, and a round number of bytes.
export function ceiling(values) {
    const most = values.reduce((high, value) => Math.max(high, value), 0);
    if (most <= 0) return 1024;
    const step = Math.max(256, 2 ** Math.ceil(Math.log2(most / 4)));
    return Math.ceil((most * 1.02) / step) * step;
}
