package import HaulCore

/// A download of a list in the making: what the command line says of all, changed by its own options.
package struct ListDraft: Sendable {
    /// What is to be downloaded.
    package var spec: DownloadSpec
    private var output: String?
    private var directory: String?
    /// aria2 takes the smaller of two numbers.
    private var connections: [Int] = []

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
        guard let name = ListOptionName(written: option.name) else {
            throw DownloadError(
                .invalidRequest,
                "unknown list option \"\(URLRedaction.quoted(option.name, width: 40))\""
            )
        }
        do throws(DownloadError) {
            try take(name, option.value)
        } catch {
            throw DownloadError(error.code, "\(name.rawValue): \(error.message)", cause: error.cause)
        }
    }

    private mutating func take(_ name: ListOptionName, _ value: String) throws(DownloadError) {
        switch name {
        case .out, .output: output = value
        case .dir, .directory: directory = value
        case .checksum: spec.checksum = try Checksum(parsing: value)
        case .header, .headers: spec.headers.append(try HeaderArgument(parsing: value).header)
        case .referer: try setHeader("Referer", value)
        case .userAgent: try setHeader("User-Agent", value)
        case .split, .maxConnectionPerServer:
            connections.append(try WholeNumber.parse(value, in: 1...ConnectionsArgument.largest))
        case .connections: spec.connections = try ConnectionsArgument(parsing: value).limit
        // aria2's 0 means no limit.
        case .maxDownloadLimit: spec.rateLimit = value == "0" ? nil : try RateArgument(parsing: value).bytesPerSecond
        case .limitRate: spec.rateLimit = try RateArgument(parsing: value).bytesPerSecond
        case .onConflict: spec.onConflict = try ChoiceArgument.parse(value, as: ConflictPolicy.self)
        case .allowOverwrite: if try truth(value) { spec.onConflict = .replace }
        case .autoFileRenaming: if try truth(value), spec.onConflict == .fail { spec.onConflict = .rename }
        case .continues:
            spec.resumes = try truth(value)
            spec.adoptsPartials = spec.resumes
        case .noResume: spec.resumes = try !truth(value)
        case .retries: spec.retries = try WholeNumber.parse(value, in: 0...1000)
        // aria2 counts the first attempt, too.
        case .maxTries: spec.retries = try WholeNumber.parse(value, in: 1...1000) - 1
        case .connectTimeout: spec.connectTimeout = try SecondsArgument(parsing: value).duration
        case .idleTimeout, .timeout: spec.idleTimeout = try SecondsArgument(parsing: value).duration
        case .maxWait: spec.maxWait = try SecondsArgument.limit(parsing: value)
        case .maxTime: spec.maxTime = try SecondsArgument(parsing: value).duration
        case .minSpeed: spec.minSpeed = try MinimumSpeedArgument(parsing: value).minimum
        case .range: spec.range = try RangeArgument(parsing: value).range
        case .partialFolder: spec.partialFolder = try folder(value)
        case .checkCertificate: spec.insecure = try !truth(value)
        case .insecure: spec.insecure = try truth(value)
        case .compressed, .httpAcceptGzip: spec.compression = try truth(value) ? .request : .decode
        case .raw: spec.compression = try truth(value) ? .keep : .decode
        case .failOnHTML: spec.failsOnHTML = try truth(value)
        case .allowDowngrade: spec.allowsDowngrade = try truth(value)
        }
    }

    private mutating func setHeader(_ name: String, _ value: String) throws(DownloadError) {
        let header = try HeaderArgument(name: name, value: value).header
        spec.headers.removeAll { $0.name.lowercased() == name.lowercased() }
        spec.headers.append(header)
    }

    private func truth(_ value: String) throws(DownloadError) -> Bool {
        guard let truth = Bool(value) else { throw DownloadError(.invalidRequest, "expected true or false") }
        return truth
    }

    private func folder(_ value: String) throws(DownloadError) -> String {
        guard !value.isEmpty else { throw DownloadError(.invalidRequest, "expected a folder") }
        return value
    }
}
