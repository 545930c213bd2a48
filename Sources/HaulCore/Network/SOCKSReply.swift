/// The reason why a SOCKS 5 proxy made no connection (RFC 1928, section 6).
package enum SOCKSReply {
    /// Describes a reply code; nil is an unknown reply.
    package static func words(_ reply: UInt8?) -> String {
        switch reply {
        case 1: "general failure"
        case 2: "not allowed"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "timeout"
        case 7: "not supported"
        case 8: "address type not supported"
        case let reply?: "reply \(reply)"
        case nil: "no reason given"
        }
    }
}
