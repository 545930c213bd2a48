import HaulLibC

/// Functions for other processes.
enum Aria2Process {
    /// Returns true if a process with this number exists: signal 0 only checks that (kill(2)).
    static func isAlive(_ number: Int64) -> Bool {
        kill(pid_t(truncatingIfNeeded: number), 0) == 0 || errno == EPERM
    }
}
