/// A limit on the connections of one client to the whole server, for all resources together.
///
/// A connection is counted from its first request until it ends. A connection beyond the limit gets the refusal, and is
/// closed; the client may try again. All connections of a test count as one client's.
package struct ClientLimit: Sendable {
    /// The maximum number of connections served at a time.
    package let connections: Int
    /// The response to connections beyond the limit: 429, 503, a reset.
    package let refusal: ServerScript

    /// Makes a limit.
    package init(connections: Int, refusal: ServerScript = .status(429)) {
        self.connections = connections
        self.refusal = refusal
    }
}
