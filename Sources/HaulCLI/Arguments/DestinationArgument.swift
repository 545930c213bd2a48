package import HaulCore

/// The destination given by `--output` and `--directory`.
package enum DestinationArgument {
    /// Returns the destination; a relative `--output` is resolved in `--directory`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if one of them is empty or cannot be used.
    package static func parse(output: String?, directory: String) throws(DownloadError) -> Destination {
        guard !directory.isEmpty else {
            throw DownloadError(.invalidRequest, "--directory is empty: name a folder, or . for this one")
        }
        guard let output else { return .folder(path: directory) }
        guard !output.isEmpty else { throw DownloadError(.invalidRequest, "--output is empty: name a file") }
        guard output != "-" else {
            throw DownloadError(
                .invalidRequest, "--output - is standard output and takes one URL: use ./- for a file of that name")
        }
        guard !output.hasSuffix("/") else {
            throw DownloadError(.invalidRequest, "--output \"\(output)\" is a folder: give it as --directory")
        }
        guard !output.hasPrefix("/"), directory != "." else { return .file(path: output) }
        return .file(path: directory.hasSuffix("/") ? directory + output : directory + "/" + output)
    }

    /// Returns true if a folder looks like the data that curl's `-d` sends: `NAME=VALUE`, JSON or `@FILE`.
    static func isData(_ directory: String) -> Bool {
        let first = directory.prefix { $0 != "/" }
        return first.hasPrefix("@") || first.contains("=") || first.contains("{")
    }
}
