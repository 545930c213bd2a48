/// The parameters of a call, token apart, in aria2's words where one does not fit.
package struct Aria2Parameters: Sendable {
    /// The values.
    package let values: [JSON]

    /// Makes parameters of values.
    package init(_ values: [JSON]) { self.values = values }

    private func present(_ index: Int) -> JSON? { values.indices.contains(index) ? values[index] : nil }

    /// A text.
    package func text(_ index: Int) throws(Aria2Failure) -> String {
        guard let value = present(index) else { throw .missing(index) }
        guard let text = value.text else { throw .wrongType(index) }
        return text
    }

    /// A whole number.
    package func integer(_ index: Int) throws(Aria2Failure) -> Int64 {
        guard let value = present(index) else { throw .missing(index) }
        guard let number = value.integer else { throw .wrongType(index) }
        return number
    }

    /// A whole number that is at least `minimum`; nil where none is given.
    package func optionalInteger(_ index: Int, minimum: Int64) throws(Aria2Failure) -> Int64? {
        guard present(index) != nil else { return nil }
        let number = try integer(index)
        guard number >= minimum else { throw .tooSmall(index, minimum: minimum) }
        return number
    }

    /// A list of texts; other elements are left out.
    package func texts(_ index: Int) throws(Aria2Failure) -> [String] {
        guard present(index) != nil else { throw .missing(index) }
        return try optionalTexts(index)
    }

    /// A list of texts, empty where none is given.
    package func optionalTexts(_ index: Int) throws(Aria2Failure) -> [String] {
        guard let value = present(index) else { return [] }
        guard let elements = value.elements else { throw .wrongType(index) }
        return elements.compactMap(\.text)
    }

    /// An object; empty where none is given.
    package func optionalObject(_ index: Int) throws(Aria2Failure) -> [JSON.Member] {
        guard let value = present(index) else { return [] }
        guard let members = value.members else { throw .wrongType(index) }
        return members
    }

    /// An object.
    package func object(_ index: Int) throws(Aria2Failure) -> [JSON.Member] {
        guard present(index) != nil else { throw .missing(index) }
        return try optionalObject(index)
    }
}
