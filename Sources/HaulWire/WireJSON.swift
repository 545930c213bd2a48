package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The encoding of messages: JSON (RFC 8259), with times in UTC (RFC 3339), durations in seconds and sizes in bytes.
package enum WireJSON {
    /// Encodes a message, with its fields sorted by name.
    ///
    /// - Throws: `DownloadError` with code `internal` for a number that JSON cannot represent.
    package static func encode(_ message: some Encodable) throws(DownloadError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var value = encoder.singleValueContainer()
            try value.encode(time(date))
        }
        do {
            return try encoder.encode(message)
        } catch {
            throw DownloadError(
                .internal, "can't write a message; this is a bug in Haul", cause: "\(error)")
        }
    }

    /// Encodes a message as one line, with its end.
    ///
    /// The line ends of Unicode (NEL, LS, PS) are escaped, because some programs split texts there, too.
    ///
    /// - Throws: `DownloadError` with code `internal` for a number that JSON cannot represent.
    package static func line(_ message: some Encodable) throws(DownloadError) -> String {
        let data = try encode(message)
        var line = ""
        // The first bytes of these line ends in UTF-8.
        guard data.contains(0xC2) || data.contains(0xE2) else { return String(decoding: data, as: UTF8.self) + "\n" }
        for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\u{85}": line += "\\u0085"
            case "\u{2028}": line += "\\u2028"
            case "\u{2029}": line += "\\u2029"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line + "\n"
    }

    /// Decodes a message.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the field and the expected value.
    package static func decode<Message: Decodable>(
        _ type: Message.Type, from data: Data
    ) throws(DownloadError) -> Message {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let date = date(text) else {
                throw DownloadError(.invalidRequest, "expected a time such as 2026-01-31T12:00:00Z")
            }
            return date
        }
        do {
            return try decoder.decode(type, from: data)
        } catch let error as DownloadError {
            throw error
        } catch let error as DecodingError {
            throw DownloadError(.invalidRequest, problem(error))
        } catch {
            throw DownloadError(.invalidRequest, "the body is not a message of this API", cause: "\(error)")
        }
    }

    /// Returns a time in the messages' format: UTC, with milliseconds.
    package static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a time, with or without fractions of a second; nil if it is invalid.
    package static func date(_ text: String) -> Date? {
        (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? Date.ISO8601FormatStyle().parse(text))
    }

    private static func problem(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(place(context, key)) is missing"
        case .typeMismatch(let type, let context): "\(place(context)) must be \(name(of: type))"
        case .valueNotFound(let type, let context): "\(place(context)) is null and must be \(name(of: type))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            // Foundation does not report which number it is.
            "the body is not valid JSON"
        case .dataCorrupted(let context): "\(place(context)) has an invalid value"
        @unknown default: "the body is not a message of this API"
        }
    }

    private static func place(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
        let keys = context.codingPath + [key].compactMap(\.self)
        guard !keys.isEmpty else { return "the body" }
        return keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().trimmingPrefix(".")
            .description
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any FixedWidthInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is any DictionaryType.Type: "an object"
        case is any ArrayType.Type: "an array"
        default: "\(type)"
        }
    }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
private protocol ArrayType {}
extension Array: ArrayType {}
