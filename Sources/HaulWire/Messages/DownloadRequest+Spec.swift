package import HaulCore

extension DownloadRequest {
    /// Returns the spec for the request.
    ///
    /// - Parameter destination: The destination of the file; the daemon has verified that it is below a root.
    /// - Throws: `DownloadError` with code `invalidRequest` for a number out of range, an invalid checksum, or an
    ///   invalid byte range.
    package func spec(to destination: Destination) throws(DownloadError) -> DownloadSpec {
        var spec = DownloadSpec(url: url, destination: destination)
        spec.onConflict = onConflict ?? spec.onConflict
        if let connections { spec.connections = try connections.connectionLimit() }
        if let checksum { spec.checksum = try Checksum(parsing: checksum) }
        spec.findsChecksum = findsChecksum ?? spec.findsChecksum
        spec.usesHeaderChecksum = usesHeaderChecksum ?? spec.usesHeaderChecksum
        spec.verifiesExisting = verifiesExisting ?? spec.verifiesExisting
        spec.mirrors = mirrors ?? spec.mirrors
        spec.usesLinkedMirrors = usesLinkedMirrors ?? spec.usesLinkedMirrors
        spec.pieces = pieces
        spec.expectedBytes = try expectedBytes.map { bytes throws(DownloadError) in
            try Bounds.check(bytes, 0...Int64.max, "expectedBytes")
        }
        try takeAccess(&spec)
        try takeTransfer(&spec)
        try takeQueue(&spec)
        return spec
    }

    /// Verifies that all headers can be sent, and returns them.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the invalid header.
    package static func checked(
        _ headers: [DownloadSpec.Header]?
    ) throws(DownloadError) -> [DownloadSpec.Header]? {
        if let refusal = headers?.compactMap(\.refusal).first { throw DownloadError(.invalidRequest, refusal) }
        return headers
    }

    private func takeAccess(_ spec: inout DownloadSpec) throws(DownloadError) {
        spec.headers = try Self.checked(headers) ?? spec.headers
        spec.user = user
        spec.password = password.map { .text($0) }
        spec.authentication = authentication ?? spec.authentication
        spec.bearerToken = bearerToken.map { .text($0) }
        spec.insecure = insecure ?? spec.insecure
        spec.allowsDowngrade = allowsDowngrade ?? spec.allowsDowngrade
        spec.failsOnHTML = failsOnHTML ?? spec.failsOnHTML
    }

    private func takeTransfer(_ spec: inout DownloadSpec) throws(DownloadError) {
        spec.resumes = resumes ?? spec.resumes
        spec.compression = compression ?? spec.compression
        spec.adoptsPartials = adoptsPartials ?? spec.adoptsPartials
        if let retries { spec.retries = try Bounds.check(retries, 0...10_000, "retries") }
        if let connectTimeout { spec.connectTimeout = try Bounds.seconds(connectTimeout, "connectTimeout") }
        if let idleTimeout { spec.idleTimeout = try Bounds.seconds(idleTimeout, "idleTimeout") }
        if let maxWait { spec.maxWait = try Bounds.seconds(maxWait, "maxWait") }
        if let maxTime { spec.maxTime = try Bounds.seconds(maxTime, "maxTime") }
        if let minSpeed {
            guard minSpeed.isValid, minSpeed.bytesPerSecond <= Bounds.maxRate else {
                throw DownloadError(
                    .invalidRequest,
                    "minSpeed must have bytesPerSecond from 1 to \(Bounds.maxRate) and seconds from 1 to 86400")
            }
            spec.minSpeed = minSpeed
        }
        if let range {
            guard let bytes = ByteRange(range.start, range.end), !bytes.isEmpty else {
                throw DownloadError(.invalidRequest, "range is empty: its end must be after its start")
            }
            spec.range = bytes
        }
        if let rateLimit {
            let limit = try Bounds.check(rateLimit, 0...Bounds.maxRate, "rateLimit")
            spec.rateLimit = limit > 0 ? limit : nil
        }
    }

    private func takeQueue(_ spec: inout DownloadSpec) throws(DownloadError) {
        spec.key = key
        spec.group = group
        spec.tags = Set(tags ?? [])
        if let priority { spec.priority = try Bounds.check(priority, -1000...1000, "priority") }
        spec.notBefore = notBefore
        spec.startsAtOnce = startsAtOnce ?? spec.startsAtOnce
        spec.startsPaused = startsPaused ?? spec.startsPaused
    }

    /// Creates the request that the daemon reports for a spec: without secrets, and without fields that have their
    /// default.
    package init(reporting spec: DownloadSpec) {
        let standard = DownloadSpec(url: spec.url, destination: spec.destination)
        func reported<Value: Equatable>(_ value: Value, _ standard: Value) -> Value? { value == standard ? nil : value }
        self.init(url: spec.url)
        take(spec.destination)
        onConflict = reported(spec.onConflict, standard.onConflict)
        connections = reported(spec.connections, standard.connections).map { ConnectionsMessage($0) }
        checksum = spec.checksum?.description
        findsChecksum = reported(spec.findsChecksum, standard.findsChecksum)
        usesHeaderChecksum = reported(spec.usesHeaderChecksum, standard.usesHeaderChecksum)
        verifiesExisting = reported(spec.verifiesExisting, standard.verifiesExisting)
        mirrors = reported(spec.mirrors, standard.mirrors)
        usesLinkedMirrors = reported(spec.usesLinkedMirrors, standard.usesLinkedMirrors)
        pieces = spec.pieces
        expectedBytes = spec.expectedBytes
        headers = reported(spec.headers, standard.headers)
        user = spec.user
        authentication = reported(spec.authentication, standard.authentication)
        resumes = reported(spec.resumes, standard.resumes)
        adoptsPartials = reported(spec.adoptsPartials, standard.adoptsPartials)
        retries = reported(spec.retries, standard.retries)
        connectTimeout = reported(spec.connectTimeout, standard.connectTimeout).map { $0 / .seconds(1) }
        idleTimeout = reported(spec.idleTimeout, standard.idleTimeout).map { $0 / .seconds(1) }
        maxWait = spec.maxWait.map { $0 / .seconds(1) }
        maxTime = spec.maxTime.map { $0 / .seconds(1) }
        minSpeed = spec.minSpeed
        insecure = reported(spec.insecure, standard.insecure)
        allowsDowngrade = reported(spec.allowsDowngrade, standard.allowsDowngrade)
        failsOnHTML = reported(spec.failsOnHTML, standard.failsOnHTML)
        range = spec.range.map { RangeMessage($0) }
        rateLimit = spec.rateLimit
        compression = reported(spec.compression, standard.compression)
        key = spec.key
        group = spec.group
        tags = reported(spec.tags, standard.tags).map { $0.sorted() }
        priority = reported(spec.priority, standard.priority)
        notBefore = spec.notBefore
        startsAtOnce = reported(spec.startsAtOnce, standard.startsAtOnce)
        startsPaused = reported(spec.startsPaused, standard.startsPaused)
    }

    private mutating func take(_ destination: Destination) {
        switch destination {
        case .folder(let path): folder = path
        case .hashed(let path): (folder, hashedName) = (path, true)
        case .file(let path):
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        }
    }

    /// The destination in a reported request.
    package var reportedDestination: Destination {
        let folder = folder ?? ""
        if hashedName == true { return .hashed(folder: folder) }
        guard let name else { return .folder(path: folder) }
        return .file(path: folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)")
    }
}

extension ConnectionsMessage {
    /// Returns the connection limit.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the number is not 1 to 256.
    package func connectionLimit() throws(DownloadError) -> ConnectionLimit {
        let count = try Bounds.check(limit, 1...256, "connections.limit")
        switch mode {
        case .automatic: return .automatic(limit: count)
        case .fixed: return .fixed(count)
        }
    }
}
