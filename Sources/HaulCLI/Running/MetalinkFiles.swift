import Haul
import HaulCore

/// The downloads described by the Metalinks of a plan.
enum MetalinkFiles {
    /// Reads all Metalinks, from files and from the network, before anything else is downloaded.
    ///
    /// - Throws: `DownloadError` that names the first Metalink that cannot be read.
    static func specs(
        of plan: GetPlan, _ engine: DownloadEngine, _ wait: InputWait
    ) async throws(DownloadError) -> [DownloadSpec] {
        var folder = "."
        if case .folder(let path) = plan.template.destination { folder = path }
        var specs: [DownloadSpec] = []
        let folders = FolderMaker()
        for place in plan.metalinks {
            do throws(DownloadError) {
                let metalink = try await read(place, plan, engine, wait)
                let home = place.contains("://") ? try SourceURL(parsing: place) : nil
                var strangers: Set<String> = []
                for spec in metalink.specs(folder: folder) {
                    // A symbolic link in place of a folder that the document names could lead out of the chosen folder.
                    try folders.prepare(for: spec, below: folder)
                    let template = plan.hosts.template(plan.template, for: spec.url)
                    let file = template.like(spec, from: home, granted: plan.hosts.options(for: spec.url))
                    if file.access != template.access { strangers.insert(try SourceURL(parsing: spec.url).host) }
                    specs.append(file)
                }
                guard !plan.quiet else { continue }
                for omission in metalink.omissions { warn("\(place): \(omission)") }
                if let host = strangers.min() {
                    warn(
                        "\(place): your credentials and headers are not sent to \(host), which only the document "
                            + "names: for that, write them into a section [host.\"\(host)\"] of the configuration file")
                }
            } catch {
                throw DownloadError(error.code, "--metalink \(place): \(error.message)", cause: error.cause)
            }
        }
        return specs
    }

    private static func read(
        _ place: String, _ plan: GetPlan, _ engine: DownloadEngine, _ wait: InputWait
    ) async throws(DownloadError) -> Metalink {
        guard place.contains("://") else {
            return try wait.reading([place]) { () throws(DownloadError) in try Metalink(contentsOf: place) }
        }
        var spec = plan.hosts.template(plan.template, for: place)
        spec.url = place
        let hosts = engine.firstHosts(of: spec)
        let result: Result<Metalink, DownloadError> = await NetworkProbe.system.retrying(hosts) {
            if plan.waitsForNetwork, !plan.quiet { warn("\(place): there is no network: waiting for it") }
            return plan.waitsForNetwork
        } attempt: {
            wait.begin(for: URLRedaction.inText(place))
            defer { wait.end() }
            do throws(DownloadError) {
                return .success(try await engine.metalink(from: place, like: spec))
            } catch {
                let network = NetworkWatch(spec, to: hosts, .system, stop: {})
                // Only the network's absence says more than the failure itself.
                if case .failure(let failure) = await network.result(.failure(error)), failure.detail == .noNetwork {
                    return .failure(failure)
                }
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func warn(_ line: String) {
        OutputFile.standardError.write("haul: \(TerminalText.printable(URLRedaction.inText(line)))\n")
    }
}

extension DownloadSpec {
    /// Returns this spec with the file, sources and destination of another one, which a document describes.
    ///
    /// Credentials and headers are sent only to the document's own origin, since the user did not name the others. A
    /// local document has no origin: it may come from anybody.
    ///
    /// - Parameters:
    ///   - home: The URL of the document; nil for a local file.
    ///   - granted: The options that the user has set for the host of the file, which gets them in any case.
    func like(_ other: DownloadSpec, from home: SourceURL?, granted: DownloadSpec) -> DownloadSpec {
        var spec = self
        spec.url = other.url
        spec.destination = other.destination
        spec.mirrors = other.mirrors
        spec.checksum = other.checksum
        spec.pieces = other.pieces
        spec.expectedBytes = other.expectedBytes
        let isAtHome = { (url: String) in (try? SourceURL(parsing: url))?.origin == home?.origin }
        // The entries of a netrc file are for the mirrors, too.
        spec.isNamedByDocument = !isAtHome(other.url) || !other.mirrors.map(\.url).allSatisfy(isAtHome)
        guard !isAtHome(other.url) else { return spec }
        spec.headers.removeAll { !$0.isHarmless && !granted.headers.contains($0) }
        let known = spec.headers
        spec.headers += granted.headers.filter { !$0.isHarmless && !known.contains($0) }
        (spec.user, spec.password, spec.bearerToken) = (granted.user, granted.password, granted.bearerToken)
        (spec.clientCertificatePath, spec.clientKeyPath) = (granted.clientCertificatePath, granted.clientKeyPath)
        return spec
    }
}
