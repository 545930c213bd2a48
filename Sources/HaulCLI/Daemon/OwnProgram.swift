import HaulProcesses

/// The running program.
enum OwnProgram {
    /// Its path: absolute, unless the system does not report it.
    static var path: String { ProgramPath.own ?? CommandLine.arguments[0] }
}
