public import HaulCore
import HaulProcesses

/// A program that is run on events of downloads.
///
/// It is started directly, never through a shell, so data from a server can't become a command. It receives the event
/// as environment variables (see `HookContext`) and as a JSON object on its standard input; its output is discarded.
public struct HookCommand: Hashable, Sendable {
    /// The events that the program is run on.
    public let on: Set<HookEvent>
    /// The program, as an absolute path or a name that is looked up in `PATH`, followed by its arguments.
    public let arguments: [String]
    /// The maximum duration, after which the program is killed with its process group.
    public let timeout: Duration
    /// True if the program writes to the standard output and error of this process; otherwise, its output is discarded.
    package var inheritsOutput = false
    /// The time after which nobody waits for the program any more; nil: it is waited for.
    ///
    /// A program that nobody waits for continues until its timeout, also after the end of this process.
    package var patience: Duration?

    /// Creates a command.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the program is missing or relative to the current
    ///   folder, if an argument contains a NUL, or if the timeout is not positive.
    public init(
        on events: Set<HookEvent>, arguments: [String], timeout: Duration = .seconds(60)
    ) throws(DownloadError) {
        guard let program = arguments.first, ProgramPath.isAcceptable(program) else {
            throw DownloadError(
                .invalidRequest, "a hook needs a program: an absolute path, or a name that is looked up in PATH")
        }
        guard !arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw DownloadError(.invalidRequest, "an argument of a hook contains a NUL")
        }
        guard timeout > .zero else {
            throw DownloadError(.invalidRequest, "the timeout of a hook must be greater than 0")
        }
        self.on = events
        self.arguments = arguments
        self.timeout = timeout
    }
}

extension HookCommand: Codable {
    private enum CodingKeys: String, CodingKey {
        case on, arguments, timeout
    }

    /// Decodes a command; the timeout is in seconds, 60 by default.
    ///
    /// - Throws: A decoding error, or an error of `init(on:arguments:timeout:)`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let seconds = try values.decodeIfPresent(Double.self, forKey: .timeout) ?? 60
        try self.init(
            on: try values.decode(Set<HookEvent>.self, forKey: .on),
            arguments: try values.decode([String].self, forKey: .arguments),
            timeout: .milliseconds(Int64((min(max(seconds, 0), 1e9) * 1000).rounded())))
    }

    /// Encodes the command: the events in the order in which they can occur, the timeout in seconds.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(HookEvent.allCases.filter(on.contains), forKey: .on)
        try values.encode(arguments, forKey: .arguments)
        try values.encode(timeout / .seconds(1), forKey: .timeout)
    }
}

/// An event that a command can be run on.
public enum HookEvent: String, Hashable, Sendable, Codable, CaseIterable {
    /// A download was added.
    case added
    /// The server has responded, and the path of the file is known.
    case started
    /// The file is complete and has its final name.
    case completed
    /// A download ended without a file.
    case failed
    /// Nothing is running or due to start any more.
    case idle
}
