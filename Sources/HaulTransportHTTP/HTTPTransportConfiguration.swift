package import Logging

/// What an `HTTPTransport` is made of.
package struct HTTPTransportConfiguration: Sendable {
    /// A PEM file whose certificates are trusted instead of the system's, as with `curl --cacert`.
    package var caCertificatePath: String?
    /// How many threads run transfers.
    ///
    /// They belong to this transport alone, because sinks may block them.
    package var eventLoops: Int
    /// How many bytes one read of a socket may bring.
    ///
    /// A paused transfer holds at most a few of these.
    package var receiveBufferBytes: Int
    /// Whether every request that needs no more than a GET straight to its origin goes over a connection of Haul's own, and not those that expect
    /// a small file alone.
    package var speaksItself: Bool
    /// Hears of clients made and of the end of the transport; never of URLs, headers or bytes.
    package var logger: Logger

    /// Makes a configuration.
    ///
    /// Both numbers are raised to 1 and 4 KiB where they are lower.
    package init(
        caCertificatePath: String? = nil,
        eventLoops: Int = 2,
        receiveBufferBytes: Int = 1 << 20,
        speaksItself: Bool = false,
        logger: Logger = Logger(label: "haul.transport.http", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.caCertificatePath = caCertificatePath
        self.eventLoops = max(1, eventLoops)
        self.receiveBufferBytes = max(4096, receiveBufferBytes)
        self.speaksItself = speaksItself
        self.logger = logger
    }
}

extension HTTPTransportConfiguration {
    /// What the reads of all connections should take of memory, where there are many.
    static let memoryOfReads = 16 << 20
    /// Smaller reads cost more than they save.
    static let smallestRead = 128 << 10

    /// How many bytes a read of one more connection brings: as many as were asked for, while there are few of them.
    ///
    /// A power of two where it is fewer, since an allocator rounds up to one.
    static func share(of bytes: Int, beside open: Int) -> Int {
        let share = memoryOfReads / max(1, open + 1)
        guard share < bytes else { return bytes }
        return min(bytes, max(smallestRead, 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)))
    }
}
