/// A JSON text as a value (RFC 8259).
package enum JSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as it was written: it is echoed so, and only ever read through `integer`.
    case number(String)
    /// A text.
    case string(String)
    /// A list.
    case array([JSON])
    /// Members in their order; each has a name of its own.
    case object([Member])

    /// A name with its value.
    package struct Member: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: JSON

        /// Makes a member.
        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }
}

extension JSON {
    /// The member of a name; nil where there is none, or where this is no object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text, or nil where it is none.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements, or nil where it is no list.
    package var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or nil where it is no object.
    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The number, where it is a whole one that `Int64` holds; `3.0` is none, as with aria2.
    package var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// An object of these members.
    package static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(members.map { Member($0.key, $0.value) })
    }
}
