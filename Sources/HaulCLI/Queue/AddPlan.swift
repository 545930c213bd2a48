import Haul
import HaulClient
import HaulCore
import HaulOptions
import HaulWire

/// The downloads that `haul add` adds, with all options checked.
struct AddPlan: Sendable {
    /// The downloads, and their common options.
    var plan: GetPlan
    /// True if a folder was given; otherwise the daemon's default folder is used.
    let hasFolder: Bool

    /// Checks the options of a command.
    ///
    /// - Throws: `InvalidOptions` with one line for each that can't be used.
    init(_ arguments: DownloadArguments) throws(InvalidOptions) {
        let options = arguments.options
        plan = GetPlan(urls: arguments.urls, list: options.text("input-file"))
        hasFolder = options.contains("directory")
        var problems = InvalidOptions(places: arguments.settings.places)
        plan.readSource(arguments, isPipeOrDevice: { _ in false }, &problems)
        plan.readTable(arguments, .add, &problems)
        plan.readUser(options)
        plan.network.readCredentials(options, list: plan.list, spec: plan.template, &problems)
        plan.checkSource(arguments, &problems)
        if plan.streams { problems.add("the daemon cannot write to standard output (--output -): use haul get") }
        if plan.template.key != nil, plan.expected != 1 {
            problems.add("--key is for one download: give one URL with it")
        }
        if arguments.urls.isEmpty, plan.list == nil {
            problems.addIfNone(GetPlan.nothingToDownload(arguments))
        }
        guard problems.messages.isEmpty else { throw problems }
    }

    /// Returns the request to the daemon; if no folder was given, relative paths are below the daemon's default folder.
    func request(_ spec: DownloadSpec) throws(DownloadError) -> DownloadRequest {
        var spec = spec
        spec.access.password = try Self.read(spec.access.password, "the password file")
        spec.access.bearerToken = try Self.read(spec.access.bearerToken, "the token file")
        var request = try DownloadRequest(sending: spec)
        guard !hasFolder else { return request }
        let (path, folder) =
            switch spec.destination {
            case .folder(let path), .hashed(let path): (path, path.pathComponents[...])
            case .file(let path): (path, path.pathComponents.dropLast())
            }
        // `.` alone means no folder; a path that begins with `./` is relative to the current folder, as in a shell.
        guard !path.hasPrefix("/"), !path.hasPrefix("./"), path.pathComponents.first != ".." else {
            return request
        }
        request.folder = path == "." || folder.isEmpty ? nil : folder.joined(separator: "/")
        return request
    }

    /// Reads a secret as `haul get` does: the daemon reads no files for its clients.
    private static func read(_ secret: Secret?, _ what: String) throws(DownloadError) -> Secret? {
        guard case .file(let path) = secret else { return secret }
        return .text(try SecretInput.process.line(path, what))
    }
}
