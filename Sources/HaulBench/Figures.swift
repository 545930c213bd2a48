import HaulLibC

/// Named measurements.
struct Figures {
    private var values: [(name: String, value: Double)] = []

    subscript(name: String) -> Double {
        get { values.first { $0.name == name }?.value ?? .nan }
        set { values.append((name, newValue)) }
    }

    /// The measurements as one JSON object.
    var json: String { "{" + values.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}" }

    /// Returns the duration of some work in seconds.
    static func seconds(_ work: () async throws -> Void) async rethrows -> Double {
        let began = ContinuousClock.now
        try await work()
        return (ContinuousClock.now - began) / .seconds(1)
    }

    /// Returns the user and system time of this process, in seconds.
    static func processorSeconds() -> Double {
        var usage = rusage()
        #if canImport(Glibc)
            let who = RUSAGE_SELF.rawValue
        #else
            let who = RUSAGE_SELF
        #endif
        // Unsafe: the call fills exactly this struct.
        _ = unsafe getrusage(numericCast(who), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// Returns the resident memory of this process in bytes: proc(5), statm.
    static func residentBytes() -> Int64 {
        // The file is opened, read once and closed within the call.
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&text, 128, file) != nil else { return 0 }
        let fields = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return (fields.count > 1 ? Int64(fields[1]) ?? 0 : 0) * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
