import HaulTransport
import NIOHTTP1

/// The loss of a connection that had been used before, before a response to its present request began.
///
/// The server may have closed it at the moment of its reuse, without announcing it (RFC 9112, section 9.3.1). The request
/// is one that may be sent again over another connection (RFC 9110, section 9.2.2): a GET or HEAD without a body.
struct StaleConnection: Error {
    /// The error, in case the request can't be sent again.
    let cause: any Error
}

extension TransferRequest {
    /// False if the request has a connection of its own: if it were lost over one that was used before, it would be unknown
    /// whether the server has carried it out.
    var sharesConnections: Bool { method == "GET" && body == nil }
}

extension HTTPRequestHead {
    /// True if the request may be sent again although it is unknown whether the server has received it.
    var mayBeRepeated: Bool {
        (method == .GET || method == .HEAD) && !headers.contains(name: "content-length")
            && !headers.contains(name: "transfer-encoding")
    }
}
