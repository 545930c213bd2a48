public import HaulCore

/// A program that is run when something happens to a download.
///
/// It is started as it stands here, never through a shell: nothing that a server sent can become a command. It gets what happened as
/// environment variables (see `HookContext`) and as one JSON object on its standard input; its output is thrown away.
public struct HookCommand: Hashable, Sendable {
    /// When it is run.
    public let on: Set<HookEvent>
    /// The program, as an absolute path or as a name that is looked up in `PATH`, and what it gets after its own name.
    public let arguments: [String]
    /// How long it may run; then it is killed with its process group.
    public let timeout: Duration

    /// Makes a command.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where no program is given, or one relative to the current
    ///   folder, where an argument holds a NUL, or where the timeout is not above zero.
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

    /// Reads a command; the timeout is in seconds, 60 where it is missing.
    ///
    /// - Throws: what `init(on:arguments:timeout:)` throws, too.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let seconds = try values.decodeIfPresent(Double.self, forKey: .timeout) ?? 60
        try self.init(
            on: try values.decode(Set<HookEvent>.self, forKey: .on),
            arguments: try values.decode([String].self, forKey: .arguments),
            timeout: .milliseconds(Int64((min(max(seconds, 0), 1e9) * 1000).rounded())))
    }

    /// Writes it; the events in the order in which they can happen, the timeout in seconds.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(HookEvent.allCases.filter(on.contains), forKey: .on)
        try values.encode(arguments, forKey: .arguments)
        try values.encode(timeout / .seconds(1), forKey: .timeout)
    }
}
