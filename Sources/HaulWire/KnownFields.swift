import HaulCore

/// A message whose fields are all known: one with any other is refused rather than half understood.
package protocol KnownFields: Decodable, Sendable {
    /// The fields that it may have.
    associatedtype Field: CodingKey & CaseIterable
}

/// A message that was read and had no unknown field.
package struct Checked<Message: KnownFields>: Decodable {
    /// The message.
    package let message: Message

    /// Reads a message.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a field that there is none of.
    package init(from decoder: any Decoder) throws {
        let known = Set(Message.Field.allCases.map(\.stringValue))
        let names = try decoder.container(keyedBy: AnyField.self).allKeys.map(\.stringValue)
        if let unknown = names.sorted().first(where: { !known.contains($0) }) {
            throw DownloadError(
                .invalidRequest,
                "\"\(URLRedaction.quoted(unknown, width: 40))\" is no field here: use \(known.sorted().joined(separator: ", "))"
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
