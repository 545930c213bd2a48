package import HaulCore
import HaulOptions

/// A download of a list in the making: what the command line says of all, changed by its own options.
package struct ListDraft: Sendable {
    /// What is to be downloaded.
    package var spec: DownloadSpec
    private var output: String?
    private var directory: String?
    /// aria2 takes the smaller of two numbers.
    private var connections: [Int] = []
    private var checksum: String?

    /// Only one checksum is compared, and the others must not be ignored.
    static let severalChecksums = "several values: give one checksum, the strongest"

    /// Begins with what all downloads have in common.
    package init(_ template: DownloadSpec) {
        spec = template
    }

    /// The finished spec.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the destination can't be used.
    package consuming func finished() throws(DownloadError) -> DownloadSpec {
        if output != nil || directory != nil {
            var folder = "."
            if case .folder(let path) = spec.destination { folder = path }
            spec.destination = try DestinationArgument.parse(output: output, directory: directory ?? folder)
        }
        if let fewest = connections.min() { spec.connections = .fixed(fewest) }
        return spec
    }

    /// Takes one option.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the option and says what would be right.
    package mutating func take(_ option: ListOption) throws(DownloadError) {
        let name = option.written
        do throws(DownloadError) {
            guard !option.value.utf8.contains(0) else {
                throw DownloadError(.invalidRequest, "contains a null character")
            }
            switch name {
            case "out", "output": output = option.value
            case "dir", "directory": directory = option.value
            case "split", "max-connection-per-server":
                connections.append(try WholeNumber.parse(option.value, in: 1...ConnectionsArgument.largest))
            default:
                guard let read = OptionTable.listed(name) else {
                    throw DownloadError(
                        .invalidRequest, "unknown list option \"\(URLRedaction.quoted(option.name, width: 40))\"")
                }
                if name == "checksum" {
                    if let checksum, checksum != option.value {
                        throw DownloadError(.invalidRequest, Self.severalChecksums)
                    }
                    checksum = option.value
                }
                try read(option.value, &spec)
            }
        } catch {
            guard OptionTable.listed(name) != nil || Self.own.contains(name) else { throw error }
            throw DownloadError(error.code, "\(name): \(error.message)", cause: error.cause)
        }
    }

    // Options that several together make one property.
    private static let own: Set<String> = [
        "out", "output", "dir", "directory", "split", "max-connection-per-server",
    ]
}
