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

/// The valid ranges of numbers in requests.
package enum Bounds {
    /// The maximum rate limit: a terabyte per second.
    package static let maxRate = DownloadSpec.Transfer.maxRate

    /// Returns the value if it is in a range.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the range.
    package static func check<Value: Comparable>(
        _ value: Value, _ range: ClosedRange<Value>, _ name: String
    ) throws(DownloadError) -> Value {
        guard range.contains(value) else {
            throw DownloadError(
                .invalidRequest, "\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        return value
    }

    /// Returns a duration that is more than zero and at most a day.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func seconds(_ seconds: Double, _ name: String) throws(DownloadError) -> Duration {
        .milliseconds(Int64((try check(seconds, 0.001...86_400, name) * 1000).rounded()))
    }
}
