import HaulCLI
import HaulCore
import HaulOptions

/// Properties of command-line arguments, which may also come from lists and scripts.
enum ArgumentChecks {
    /// Checks `--checksum`: printed values can be read back, and a digest has the length of its algorithm.
    static func checksum(_ text: String) throws(FuzzFinding) {
        guard let checksum = try? Checksum(parsing: text) else { return }
        try claim(checksum.hex.utf8.count == checksum.algorithm.byteCount * 2, "a digest is whole: \(checksum)")
        try claim(checksum.hex.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "a digest is hex: \(checksum)")
        try claim(
            (try? Checksum(parsing: checksum.description)) == checksum, "what is printed is read back: \(checksum)")
    }

    /// Checks `--header`: one line, a token as the name, readable again; messages never contain the value.
    static func header(_ text: String) throws(FuzzFinding) {
        if let header = (try? HeaderArgument(parsing: text))?.header {
            let line = header.name + (header.value == " " ? ";" : ": " + header.value)
            try claim(!line.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a header is one line: \(line)")
            try claim(
                header.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") },
                "a name is a token: \(line)")
            try claim((try? HeaderArgument(parsing: line).header) == header, "what is printed is read back: \(line)")
        }
        guard text.utf8.contains(UInt8(ascii: ":")), !text.contains("hunter2") else { return }
        do throws(DownloadError) {
            _ = try HeaderArgument(parsing: text + "hunter2\n.")
        } catch {
            return try claim(error.code == .invalidRequest && !error.message.contains("hunter2"), error.message)
        }
        throw FuzzFinding("a line break is sent: \(text)")
    }

    /// Checks amounts, ranges, seconds and connections: within their bounds, or rejected.
    static func numbers(_ text: String) throws(FuzzFinding) {
        if let bytes = try? ByteCount.parse(text) {
            try claim(bytes >= 0, "an amount is never negative: \(bytes)")
            let shown = ByteCount.string(bytes)
            try claim(shown.utf8.count <= 9, "an amount has at most nine characters: \(shown)")
            try claim(
                (try? ByteCount.parse(shown)).map { $0 <= bytes } ?? false, "an amount is shown rounded down: \(shown)")
        }
        if let rate = try? RateArgument(parsing: text) {
            try claim(rate.bytesPerSecond > 0, "a rate lets something through")
        }
        if let range = try? RangeArgument(parsing: text) { try claim(!range.range.isEmpty, "a range is never empty") }
        if let seconds = try? SecondsArgument(parsing: text) {
            try claim((.milliseconds(1)...(.seconds(86_400))).contains(seconds.duration), "seconds lie within a day")
        }
        if let connections = try? ConnectionsArgument(parsing: text) {
            try claim((1...64).contains(connections.limit.maximum), "connections are 1 to 64")
        }
    }
}

/// Properties of rate limits by the time of day.
enum ScheduleChecks {
    /// Checks a schedule: at any time the limit is nil or above zero, and every day is the same.
    static func schedule(_ text: String) throws(FuzzFinding) {
        guard let schedule = try? RateSchedule(parsing: text) else { return }
        for instant in [Int64.min, -1, 0, 1_767_225_600, Int64.max - 86_400] {
            for offset in [Int.min, -43_200, 0, 50_400, .max] {
                let rate = schedule.rate(at: instant, utcOffset: offset)
                try claim(rate ?? 1 > 0, "a limit lets something through: \(text)")
                try claim(
                    schedule.rate(at: instant + 86_400, utcOffset: offset) == rate, "each day is the same: \(text)")
            }
        }
    }
}
