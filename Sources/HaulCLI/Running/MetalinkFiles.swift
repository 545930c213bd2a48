import Haul
import HaulCore

/// The downloads that the Metalinks of a plan stand for.
enum MetalinkFiles {
    /// Reads them all, from files and from the network, before anything else is downloaded.
    ///
    /// - Throws: `DownloadError` that names the Metalink, for the first one that can't be read.
    static func specs(of plan: GetPlan, _ engine: DownloadEngine) async throws(DownloadError) -> [DownloadSpec] {
        var folder = "."
        if case .folder(let path) = plan.template.destination { folder = path }
        var specs: [DownloadSpec] = []
        for place in plan.metalinks {
            do throws(DownloadError) {
                let metalink = try await read(place, plan, engine)
                specs += metalink.specs(folder: folder)
                if !plan.quiet { for omission in metalink.omissions { warn("\(place): \(omission)") } }
            } catch {
                throw DownloadError(error.code, "--metalink \(shown(place)): \(error.message)", cause: error.cause)
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

    /// Without password and query values, where it is a URL.
    private static func shown(_ place: String) -> String {
        guard place.contains("://") else { return place }
        return (try? SourceURL(parsing: place))?.redacted ?? "URL"
    }

    private static func warn(_ line: String) {
        OutputFile.standardError.write("haul: \(TerminalText.printable(line))\n")
    }
}
