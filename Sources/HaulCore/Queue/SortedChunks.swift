/// An ordered set: an array of sorted chunks, each a sorted array of bounded size.
///
/// A search looks for the chunk, then inside it, both by halves. An insert or a removal moves the elements of one
/// chunk only, so a million of either stays near linear, whatever the order. Elements that come in order, rising or
/// falling, leave full chunks behind.
package struct SortedChunks<Element: Comparable & Sendable>: Sendable {
    /// The chunks, each below the next; none is ever empty.
    private var chunks: [[Element]] = []
    private let chunkSize: Int

    /// The number of elements.
    package private(set) var count = 0

    /// Makes an empty set; a chunk holds two elements at least.
    package init(chunkSize: Int = 512) {
        self.chunkSize = Swift.max(2, chunkSize)
    }

    /// Whether there is no element.
    package var isEmpty: Bool { count == 0 }

    /// The lowest element.
    package var first: Element? { chunks.first?.first }

    /// The highest element.
    package var last: Element? { chunks.last?.last }

    /// Whether the element is there.
    package func contains(_ element: Element) -> Bool {
        first(atOrAbove: element) == element
    }

    /// The lowest element that is not below the given one.
    package func first(atOrAbove element: Element) -> Element? {
        let position = position(of: element)
        return position.chunk < chunks.count ? chunks[position.chunk][position.index] : nil
    }

    /// Puts an element in its place; false where an equal one is there already.
    @discardableResult
    package mutating func insert(_ element: Element) -> Bool {
        let position = position(of: element)
        guard position.chunk < chunks.count else {
            append(element)
            return true
        }
        guard chunks[position.chunk][position.index] != element else { return false }
        insert(element, at: position)
        return true
    }

    /// Takes an element out; false where it was not there.
    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        let position = position(of: element)
        guard position.chunk < chunks.count, chunks[position.chunk][position.index] == element else { return false }
        chunks[position.chunk].remove(at: position.index)
        if chunks[position.chunk].isEmpty {
            chunks.remove(at: position.chunk)
        }
        count -= 1
        return true
    }
}

extension SortedChunks {
    /// Where an element stands or would stand: the place of the lowest one that is not below it.
    ///
    /// The chunk is `chunks.count` where all elements are below it; otherwise the index is that of an element.
    private func position(of element: Element) -> (chunk: Int, index: Int) {
        // Both ends without a search: lists are filled at one end and worked off from the other.
        guard let first, let last, !(last < element) else { return (chunks.count, 0) }
        guard first < element else { return (0, 0) }
        let chunk = Self.firstIndex(below: chunks.count) { !(chunks[$0][chunks[$0].count - 1] < element) }
        return (chunk, Self.firstIndex(below: chunks[chunk].count) { !(chunks[chunk][$0] < element) })
    }

    /// The first index that meets a condition that all later ones meet too; `end` where none does.
    private static func firstIndex(below end: Int, where condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, end)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(middle) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    private mutating func append(_ element: Element) {
        if let last = chunks.indices.last, chunks[last].count < chunkSize {
            chunks[last].append(element)
        } else {
            chunks.append([element])
        }
        count += 1
    }

    private mutating func insert(_ element: Element, at position: (chunk: Int, index: Int)) {
        count += 1
        guard chunks[position.chunk].count == chunkSize else {
            chunks[position.chunk].insert(element, at: position.index)
            return
        }
        // Elements that come falling would leave half-filled chunks if the first one was split.
        guard position != (0, 0) else {
            chunks.insert([element], at: 0)
            return
        }
        let half = chunkSize / 2
        let upper = Array(chunks[position.chunk][half...])
        chunks[position.chunk].removeSubrange(half...)
        chunks.insert(upper, at: position.chunk + 1)
        if position.index <= half {
            chunks[position.chunk].insert(element, at: position.index)
        } else {
            chunks[position.chunk + 1].insert(element, at: position.index - half)
        }
    }
}

extension SortedChunks: Sequence {
    /// The elements, the lowest first.
    package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
        chunks.joined().makeIterator()
    }
}
