/// One header line of a request or response.
package struct HeaderLine: Sendable, Hashable {
    /// The name as sent.
    package let name: String
    /// The value as sent.
    package let value: String

    /// Makes a line.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

extension [HeaderLine] {
    /// The value of the first line with a name; case is ignored.
    package subscript(_ name: String) -> String? { first { $0.isNamed(name) }?.value }

    mutating func set(_ name: String, _ value: String?) {
        let place = firstIndex { $0.isNamed(name) }
        removeAll { $0.isNamed(name) }
        guard let value else { return }
        insert(HeaderLine(name, value), at: Swift.min(place ?? count, count))
    }
}
