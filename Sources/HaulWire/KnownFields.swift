package import HaulCore

/// A message that may contain only known fields: one with any other field is rejected instead of being partly ignored.
package protocol KnownFields: Decodable, Sendable {
    /// The valid fields, if they are cases.
    associatedtype Field: CodingKey = FieldName
    /// The names of the valid fields.
    static var knownFields: Set<String> { get }
}

extension KnownFields where Field: CaseIterable {
    /// The names of the valid fields.
    package static var knownFields: Set<String> { Set(Field.allCases.map(\.stringValue)) }
}

/// A decoded message without unknown fields.
package struct Checked<Message: KnownFields>: Decodable {
    /// The message.
    package let message: Message

    /// Decodes a message.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for an unknown field.
    package init(from decoder: any Decoder) throws {
        let known = Message.knownFields
        let names = try decoder.container(keyedBy: FieldName.self).allKeys.map(\.stringValue)
        if let unknown = names.sorted().first(where: { !known.contains($0) }) {
            throw DownloadError(
                .invalidRequest,
                "unknown field \"\(URLRedaction.quoted(unknown, width: 40))\": expected one of \(known.sorted().joined(separator: ", "))"
            )
        }
        message = try Message(from: decoder)
    }
}
