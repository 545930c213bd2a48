/// An ordered set: an array of sorted chunks, each a sorted array of bounded size.
///
/// Both the chunk and the element in it are found by binary search. An insertion or removal moves the elements of one
/// chunk only, so a million of them takes nearly linear time, in any order. Elements inserted in ascending or
/// descending order leave full chunks behind.
package struct SortedChunks<Element: Comparable & Sendable>: Sendable {
    /// The chunks, in order; none is ever empty.
    private var chunks: [[Element]] = []
    private let chunkSize: Int

    /// The number of elements.
    package private(set) var count = 0

    /// Makes an empty set; the minimum chunk size is two.
    package init(chunkSize: Int = 512) {
        self.chunkSize = Swift.max(2, chunkSize)
    }

    /// True if there are no elements.
    package var isEmpty: Bool { count == 0 }

    /// The lowest element.
    package var first: Element? { chunks.first?.first }

    /// The highest element.
    package var last: Element? { chunks.last?.last }

    /// Returns true if the set contains the element.
    package func contains(_ element: Element) -> Bool {
        first(atOrAbove: element) == element
    }

    /// Returns the lowest element that is not below the given one.
    package func first(atOrAbove element: Element) -> Element? {
        let position = position(of: element)
        return position.chunk < chunks.count ? chunks[position.chunk][position.index] : nil
    }

    /// Inserts an element; returns false if an equal one exists.
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

    /// Removes an element; returns false if it does not exist.
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
    /// Returns the position of the lowest element that is not below the given one.
    ///
    /// The chunk is `chunks.count` if all elements are below it; otherwise the index is that of an element.
    private func position(of element: Element) -> (chunk: Int, index: Int) {
        // Checks both ends first: lists are filled at one end and emptied at the other.
        guard let first, let last, !(last < element) else { return (chunks.count, 0) }
        guard first < element else { return (0, 0) }
        let chunk = Self.firstIndex(below: chunks.count) { !(chunks[$0][chunks[$0].count - 1] < element) }
        return (chunk, Self.firstIndex(below: chunks[chunk].count) { !(chunks[chunk][$0] < element) })
    }

    /// Returns the first index that meets a condition which all later ones meet too, or `end` if there is none.
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
        // Splitting the first chunk would leave half-full chunks behind if elements are inserted in descending order.
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
    /// Returns an iterator over the elements in ascending order.
    package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
        chunks.joined().makeIterator()
    }
}
