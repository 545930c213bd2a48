/// How many connections one client may have to the whole server, whatever it asks for on them.
///
/// A connection takes its place with its first request and gives it back when it has ended. One beyond the limit gets the refusal,
/// and is closed; it may come again. All of a test is one client.
package struct ClientLimit: Sendable {
    /// The most connections that are served at a time.
    package let connections: Int
    /// What one beyond gets: 429, 503, a reset.
    package let refusal: ServerScript

    /// Makes a limit.
    package init(connections: Int, refusal: ServerScript = .status(429)) {
        self.connections = connections
        self.refusal = refusal
    }
}
