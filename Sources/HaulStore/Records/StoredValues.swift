import HaulCore
import HaulDigest

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoredState {
    /// The number of the state in the database.
    ///
    /// Numbers are added, never changed.
    var number: Int64 {
        switch self {
        case .queued: 0
        case .active: 1
        case .paused: 2
        case .held: 3
        case .finished: 4
        case .failed: 5
        case .cancelled: 6
        }
    }

    /// Creates the state with a number.
    init?(number: Int64) {
        guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = state
    }
}

/// Times in the database: milliseconds since 1970.
enum StoredTime {
    /// Returns the milliseconds of a date; unrealistic dates are clamped to ten thousand years.
    static func milliseconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        guard !seconds.isNaN else { return 0 }
        return Int64((min(max(seconds, -limit), limit) * 1000).rounded())
    }

    /// Returns the date for milliseconds.
    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    private static let limit = 3.2e11
}

/// JSON in the database: equal values always have the same text.
enum StoredJSON {
    /// Encodes a value.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Decodes a value.
    static func value<Value: Decodable>(_ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
}

/// The digest of a key in the database: the first half of its SHA-256.
enum KeyDigest {
    /// Returns the sixteen bytes for a key.
    static func bytes(of key: String) -> [UInt8] {
        var digest = StreamingDigest(.sha256)
        digest.update(key)
        return Array(digest.bytes.prefix(16))
    }

    /// Returns the same bytes in GRDB's type.
    static func data(of key: String) -> Data { Data(bytes(of: key)) }
}
