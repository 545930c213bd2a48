import CHaulSystem

/// The environment of the process, read without Foundation, whose own representation takes a fiftieth of a short command.
///
/// Nothing in Haul changes the environment, so that its texts can be copied at any time.
package enum ProcessEnvironment {
    /// Returns the value of a variable; nil if it is not set.
    package static func value(_ name: String) -> String? {
        // Safe: the text is copied at once.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// All variables: environ(7).
    ///
    /// Of two with the same name, the first counts, as in getenv(3).
    package static var all: [String: String] {
        var result: [String: String] = [:]
        // Safe: a list of texts that ends with null.
        guard var entry = unsafe haul_environment() else { return result }
        while let text = unsafe entry.pointee {
            let variable = unsafe String(cString: text)
            if let end = variable.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(variable[..<end])
                if result[name] == nil { result[name] = String(variable[variable.utf8.index(after: end)...]) }
            }
            unsafe entry += 1
        }
        return result
    }
}
