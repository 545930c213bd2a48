/// The order in which clients change options.
///
/// A change whose folder is on a disk that does not respond must not undo a later one when the disk responds again.
struct Aria2ChangeOrder {
    private var begun = 0
    private var finished: [String: Int] = [:]

    /// Returns the number of a change that begins.
    mutating func begin() -> Int {
        begun += 1
        return begun
    }

    /// Returns false, and records nothing, if a later change of one of these options was carried out.
    mutating func finish(_ number: Int, of names: some Collection<String>) -> Bool {
        guard names.allSatisfy({ finished[$0, default: 0] < number }) else { return false }
        for name in names { finished[name] = number }
        return true
    }
}
