import Haul
import HaulCore

/// The downloads described by the Metalinks of a plan.
enum MetalinkFiles {
    /// Reads all Metalinks, from files and from the network, before anything else is downloaded.
    ///
    /// - Throws: `DownloadError` that names the first Metalink that cannot be read.
    static func specs(of plan: GetPlan, _ engine: DownloadEngine) async throws(DownloadError) -> [DownloadSpec] {
        var folder = "."
        if case .folder(let path) = plan.template.destination { folder = path }
        var specs: [DownloadSpec] = []
        let folders = FolderMaker()
        for place in plan.metalinks {
            do throws(DownloadError) {
                let metalink = try await read(place, plan, engine)
                let home = place.contains("://") ? try SourceURL(parsing: place) : nil
                for spec in metalink.specs(folder: folder) {
                    // A symbolic link in place of a folder that the document names could lead out of the chosen folder.
                    try folders.prepare(for: spec, below: folder)
                    specs.append(plan.hosts.template(plan.template, for: spec.url).like(spec, from: home))
                }
                if !plan.quiet { for omission in metalink.omissions { warn("\(place): \(omission)") } }
            } catch {
                throw DownloadError(error.code, "--metalink \(place): \(error.message)", cause: error.cause)
            }
        }
        return specs
    }

    private static func read(
        _ place: String, _ plan: GetPlan, _ engine: DownloadEngine
    ) async throws(DownloadError) -> Metalink {
        guard place.contains("://") else { return try Metalink(contentsOf: place) }
        return try await engine.metalink(from: place, like: plan.template)
    }

    private static func warn(_ line: String) {
        OutputFile.standardError.write("haul: \(TerminalText.printable(URLRedaction.inText(line)))\n")
    }
}

extension DownloadSpec {
    /// Returns this spec with the file, sources and destination of another one, which a document describes.
    ///
    /// Credentials are sent only to the document's own origin, since the user did not name the others.
    ///
    /// - Parameter home: The URL of the document; nil for a local file.
    func like(_ other: DownloadSpec, from home: SourceURL?) -> DownloadSpec {
        var spec = self
        spec.url = other.url
        spec.destination = other.destination
        spec.mirrors = other.mirrors
        spec.checksum = other.checksum
        spec.pieces = other.pieces
        spec.expectedBytes = other.expectedBytes
        spec.isNamedByDocument = (try? SourceURL(parsing: other.url))?.origin != home?.origin
        guard home != nil, spec.isNamedByDocument else { return spec }
        spec.headers.removeAll { !$0.isHarmless }
        (spec.user, spec.password, spec.bearerToken) = (nil, nil, nil)
        (spec.clientCertificatePath, spec.clientKeyPath) = (nil, nil)
        return spec
    }
}
