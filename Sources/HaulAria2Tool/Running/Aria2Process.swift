import Foundation
import Haul
import HaulLibC
import HaulProcesses

/// Functions for other processes.
enum Aria2Process {
    /// Returns true if a process with this number exists: signal 0 only checks that (kill(2)).
    static func isAlive(_ number: Int64) -> Bool {
        kill(pid_t(truncatingIfNeeded: number), 0) == 0 || errno == EPERM
    }

    /// The reason why a program cannot be executed, in the system's words; nil if nothing speaks against it.
    ///
    /// A name without a slash is looked up in `PATH`, as execlp(3) does.
    static func reasonNotToExecute(_ program: String) -> String? {
        let search = ProcessEnvironment.value("PATH")
        guard let path = program.contains("/") ? program : ProgramPath.find(program, searchPath: search) else {
            return text(of: ENOENT)
        }
        guard unsafe access(path, X_OK) == 0 else { return text(of: errno) }
        return ProgramPath.isExecutableFile(path) ? nil : text(of: EACCES)
    }

    private static func text(of code: Int32) -> String {
        // Safe: strerror(3) returns a constant text for every code that a kernel gives, and the text is copied at once.
        unsafe String(cString: strerror(code))
    }
}
