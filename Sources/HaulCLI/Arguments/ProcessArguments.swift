import Foundation

/// The arguments of this process, as Linux reports them.
package enum ProcessArguments {
    /// The words of the command line, starting with the program's name; empty if they cannot be read.
    package static var fromKernel: [String] {
        (try? Data(contentsOf: URL(filePath: "/proc/self/cmdline"))).map { split([UInt8]($0)) } ?? []
    }

    /// Splits the arguments, each of which ends with a zero byte (man 5 proc).
    package static func split(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
