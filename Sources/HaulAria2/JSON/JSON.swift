/// A JSON value (RFC 8259).
package enum JSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number in its original form, in which it is echoed; it is only read through `integer`.
    case number(String)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object: its members in order, with unique names.
    case object([Member])

    /// A name with its value.
    package struct Member: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: JSON

        /// Creates a member.
        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }
}

extension JSON {
    /// Returns the member with a name; nil if there is none, or if this is not an object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text; nil if this is not a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements; nil if this is not an array.
    package var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members; nil if this is not an object.
    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The number, if it is an integer that `Int64` can represent; `3.0` is not, as in aria2.
    package var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// Creates an object from members.
    package static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(members.map { Member($0.key, $0.value) })
    }
}
