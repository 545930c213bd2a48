package import Logging

/// The configuration of an `HTTPTransport`.
package struct HTTPTransportConfiguration: Sendable {
    /// The path of a PEM file whose certificates are trusted instead of the system's, as with `curl --cacert`.
    package var caCertificatePath: String?
    /// The number of threads that run transfers.
    ///
    /// They belong to this transport alone, because sinks may block them.
    package var eventLoops: Int
    /// The maximum number of bytes of one socket read.
    ///
    /// A paused transfer holds at most a few of these.
    package var receiveBufferBytes: Int
    /// The maximum number of idle connections, to all hosts together; the one that has been idle longest is closed.
    ///
    /// Nil for a quarter of the files that the process may open, and at most 512.
    package var maxIdleConnections: Int?
    /// True if every request that is no more than a GET directly to its origin uses one of Haul's own connections.
    ///
    /// Otherwise all requests use AsyncHTTPClient.
    package var usesDirectConnections: Bool
    /// True if each host is looked up once a minute, and at most 32 at a time, which spares name servers.
    ///
    /// Otherwise every new connection makes its own lookup, whose result is always current.
    package var sharesLookups = false
    /// True if the process ends after `shutdown()`.
    ///
    /// Then the system closes connections that need no farewell, and ends the threads.
    package var endsWithProcess = false
    /// The logger.
    ///
    /// It receives the creation of clients and the end of the transport; never URLs, headers or bytes.
    package var logger: Logger

    /// Creates a configuration.
    ///
    /// The two numbers are raised to at least 1 and 4 KiB.
    package init(
        caCertificatePath: String? = nil,
        eventLoops: Int = 2,
        receiveBufferBytes: Int = 1 << 20,
        usesDirectConnections: Bool = true,
        logger: Logger = Logger(label: "haul.transport.http", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.caCertificatePath = caCertificatePath
        self.eventLoops = max(1, eventLoops)
        self.receiveBufferBytes = max(4096, receiveBufferBytes)
        self.usesDirectConnections = usesDirectConnections
        self.logger = logger
    }
}

extension HTTPTransportConfiguration {
    /// The memory that the reads of all connections should use in total, if there are many.
    static let memoryOfReads = 16 << 20
    /// The minimum size of a read.
    ///
    /// Smaller reads cost more than they save.
    static let smallestRead = 128 << 10

    /// Returns the size of reads of one more connection: the requested number of bytes, while there are few
    /// connections.
    ///
    /// A reduced size is a power of two, because an allocator rounds up to one.
    static func share(of bytes: Int, beside open: Int) -> Int {
        let share = memoryOfReads / max(1, open + 1)
        guard share < bytes else { return bytes }
        return min(bytes, max(smallestRead, 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)))
    }
}

/// The reason why an `HTTPTransport` cannot be created.
package enum HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file of trusted certificates cannot be read, or a part of it is not a certificate.
    case unreadableCertificates(path: String)
    /// The file of trusted certificates contains none.
    case noCertificates(path: String)
    /// The process may not open the files that the event loops need: this number.
    case tooFewFiles(needed: Int)

    /// True if the process may not open enough files.
    package var isOfFiles: Bool {
        switch self {
        case .tooFewFiles: true
        case .unreadableCertificates, .noCertificates: false
        }
    }

    /// The cause in one sentence.
    package var description: String {
        switch self {
        case .unreadableCertificates(let path):
            "can't read the certificates in \(path): expected a PEM file"
        case .tooFewFiles(let needed):
            "too many open files: the event loops need \(needed) more: raise the limit (ulimit -n)"
        case .noCertificates(let path): "no certificate in \(path): expected a PEM file"
        }
    }
}
