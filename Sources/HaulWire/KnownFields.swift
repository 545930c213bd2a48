import HaulCore

/// A message that may contain only known fields: one with any other field is rejected instead of being partly ignored.
package protocol KnownFields: Decodable, Sendable {
    /// The valid fields.
    associatedtype Field: CodingKey & CaseIterable
}

/// A decoded message without unknown fields.
package struct Checked<Message: KnownFields>: Decodable {
    /// The message.
    package let message: Message

    /// Decodes a message.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for an unknown field.
    package init(from decoder: any Decoder) throws {
        let known = Set(Message.Field.allCases.map(\.stringValue))
        let names = try decoder.container(keyedBy: AnyField.self).allKeys.map(\.stringValue)
        if let unknown = names.sorted().first(where: { !known.contains($0) }) {
            throw DownloadError(
                .invalidRequest,
                "unknown field \"\(URLRedaction.quoted(unknown, width: 40))\": expected one of \(known.sorted().joined(separator: ", "))"
            )
        }
        message = try Message(from: decoder)
    }
}

/// The name of any field.
struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
