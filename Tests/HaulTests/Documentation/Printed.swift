import Synchronization

/// What the pieces of code in the documentation print, kept instead of shown.
final class Printed: Sendable {
    private let state = Mutex<[String]>([])

    func add(_ line: String) { state.withLock { $0.append(line) } }

    var lines: [String] { state.withLock { $0 } }
}
