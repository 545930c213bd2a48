import HaulCore
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form of an option's value: its parser, and what completes it.
struct OptionForm<Value: SendableMetatype>: Sendable {
    let completion: DownloadOption.Completion
    /// Parses a text.
    let parse: @Sendable (String) throws(DownloadError) -> Value

    init(
        _ completion: DownloadOption.Completion = .nothing,
        _ parse: @escaping @Sendable (String) throws(DownloadError) -> Value
    ) {
        self.completion = completion
        self.parse = parse
    }

    /// The form for a property that may have no value.
    var optional: OptionForm<Value?> {
        let parse = parse
        return OptionForm<Value?>(completion) { text throws(DownloadError) in try parse(text) }
    }
}

extension OptionForm where Value: CaseIterable & RawRepresentable<String> {
    /// One of a few words.
    static var choice: Self {
        Self(.words(Value.allCases.map(\.rawValue))) { text throws(DownloadError) in
            try ChoiceArgument.parse(text, as: Value.self)
        }
    }
}

extension OptionForm<Bool> {
    /// `true` or `false`.
    static let truth = Self { text throws(DownloadError) in
        guard let truth = Bool(text) else { throw DownloadError(.invalidRequest, "expected true or false") }
        return truth
    }
}

extension OptionForm<Int> {
    /// A whole number in a range.
    static func number(_ range: ClosedRange<Int>) -> Self {
        Self { text throws(DownloadError) in try WholeNumber.parse(text, in: range) }
    }

    /// A priority, which may be negative.
    static let priority = Self { text throws(DownloadError) in try PriorityArgument.parse(text) }
}

extension OptionForm<Int64> {
    /// A rate in bytes per second, such as `500K`.
    static let rate = Self { text throws(DownloadError) in try RateArgument(parsing: text).bytesPerSecond }
}

extension OptionForm<Duration> {
    /// A number of seconds.
    static let seconds = Self { text throws(DownloadError) in try SecondsArgument(parsing: text).duration }
}

extension OptionForm<Duration?> {
    /// A number of seconds, or `unlimited`.
    static let secondsOrUnlimited = Self { text throws(DownloadError) in try SecondsArgument.limit(parsing: text) }
}

extension OptionForm<String> {
    /// The path of a file.
    static let file = path(.file, "a file")
    /// The path of a folder.
    static let folder = path(.folder, "a folder")
    /// Any text.
    static let text = Self { $0 }

    /// A URL that is sent in a header.
    static let referer = Self { text throws(DownloadError) in
        var access = DownloadSpec.Access()
        access.referer = text
        try access.check()
        return text
    }

    private static func path(_ completion: DownloadOption.Completion, _ what: String) -> Self {
        Self(completion) { text throws(DownloadError) in
            guard !text.isEmpty else { throw DownloadError(.invalidRequest, "expected \(what)") }
            return text
        }
    }

    /// The name of a user, which never includes a password.
    static let user = Self { text throws(DownloadError) in
        guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: ":")) else {
            throw DownloadError(
                .invalidRequest, "expected only a name, because other users can read arguments: use --password-file")
        }
        return text
    }
}

extension OptionForm<Secret> {
    /// The path of a file that contains a secret.
    static let secretFile = OptionForm(.file) { text throws(DownloadError) in
        .file(path: try OptionForm<String>.file.parse(text))
    }
}

extension OptionForm<Date> {
    /// A time: with its offset from UTC, or else the local time of this machine; a date alone means its first minute.
    static let time = Self { text throws(DownloadError) in
        guard let date = localTime(text) ?? WireJSON.date(text) else {
            throw DownloadError(
                .invalidRequest, "expected a time such as 2026-01-31T12:00 (local) or 2026-01-31T12:00:00Z")
        }
        return date
    }

    /// Reads `YYYY-MM-DD`, and the same followed by a space or `T` and `HH:MM` or `HH:MM:SS`.
    static func localTime(_ text: String, in zone: TimeZone = .current) -> Date? {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        func numbers(_ text: Substring, _ separator: Character) -> [Int]? {
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            let numbers = parts.compactMap { $0.count <= 4 ? WholeNumber.parse($0) : nil }
            return numbers.count == parts.count ? numbers : nil
        }
        guard let day = halves.first.flatMap({ numbers($0, "-") }), day.count == 3, day[0] >= 1970,
            let clock = halves.count == 2 ? numbers(halves[1], ":") : [0, 0], (2...3).contains(clock.count),
            (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), clock.count == 2 || (0..<60).contains(clock[2])
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = DateComponents(
            year: day[0], month: day[1], day: day[2], hour: clock[0], minute: clock[1],
            second: clock.count == 3 ? clock[2] : 0)
        guard let date = calendar.date(from: parts),
            calendar.dateComponents([.year, .month, .day], from: date)
                == DateComponents(year: day[0], month: day[1], day: day[2])
        else { return nil }
        return date
    }
}

extension OptionForm<Checksum> {
    /// A checksum.
    static let checksum = Self(.words(Checksum.Algorithm.allCases.map { "\($0.rawValue):" })) {
        text throws(DownloadError) in try Checksum(parsing: text)
    }
}

extension OptionForm<ConnectionLimit> {
    /// A number of connections, or `auto`.
    static let connections = Self(.words(["auto"])) { text throws(DownloadError) in
        try ConnectionsArgument(parsing: text).limit
    }
}

extension OptionForm<ByteRange> {
    /// The first and the last byte.
    static let range = Self { text throws(DownloadError) in try RangeArgument(parsing: text).range }
}

extension OptionForm<MinimumSpeed> {
    /// A rate and the seconds over which it is averaged.
    static let minimumSpeed = Self { text throws(DownloadError) in try MinimumSpeedArgument(parsing: text).minimum }
}
