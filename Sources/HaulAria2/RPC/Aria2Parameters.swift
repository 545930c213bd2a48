/// The parameters of a call without the token; errors have aria2's wording.
package struct Aria2Parameters: Sendable {
    /// The values.
    package let values: [JSON]

    /// Creates parameters from values.
    package init(_ values: [JSON]) { self.values = values }

    private func present(_ index: Int) -> JSON? { values.indices.contains(index) ? values[index] : nil }

    /// Returns a text.
    package func text(_ index: Int) throws(Aria2Failure) -> String {
        guard let value = present(index) else { throw .missing(index) }
        guard let text = value.text else { throw .wrongType(index) }
        return text
    }

    /// Returns an integer.
    package func integer(_ index: Int) throws(Aria2Failure) -> Int64 {
        guard let value = present(index) else { throw .missing(index) }
        guard let number = value.integer else { throw .wrongType(index) }
        return number
    }

    /// Returns an integer that is at least `minimum`; nil if it is omitted.
    package func optionalInteger(_ index: Int, minimum: Int64) throws(Aria2Failure) -> Int64? {
        guard present(index) != nil else { return nil }
        let number = try integer(index)
        guard number >= minimum else { throw .tooSmall(index, minimum: minimum) }
        return number
    }

    /// Returns a list of texts; other elements are ignored.
    package func texts(_ index: Int) throws(Aria2Failure) -> [String] {
        guard present(index) != nil else { throw .missing(index) }
        return try optionalTexts(index)
    }

    /// Returns a list of texts; empty if it is omitted.
    package func optionalTexts(_ index: Int) throws(Aria2Failure) -> [String] {
        guard let value = present(index) else { return [] }
        guard let elements = value.elements else { throw .wrongType(index) }
        return elements.compactMap(\.text)
    }

    /// Returns an object; empty if it is omitted.
    package func optionalObject(_ index: Int) throws(Aria2Failure) -> [JSON.Member] {
        guard let value = present(index) else { return [] }
        guard let members = value.members else { throw .wrongType(index) }
        return members
    }

    /// Returns an object.
    package func object(_ index: Int) throws(Aria2Failure) -> [JSON.Member] {
        guard present(index) != nil else { throw .missing(index) }
        return try optionalObject(index)
    }
}
