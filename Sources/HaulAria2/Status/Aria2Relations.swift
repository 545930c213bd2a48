/// The Metalinks whose files were downloaded after them, and these files (aria2(1), `followedBy` and `following`).
///
/// Like aria2, it keeps them for one run of the program: a session does not contain them.
package struct Aria2Relations: Hashable, Sendable {
    private var leaders: [GID: GID] = [:]
    private var followers: [GID: [GID]] = [:]

    /// Creates relations without downloads.
    package init() {}

    /// Returns the Metalink that a download follows; nil if it follows none.
    package func leader(of gid: GID) -> GID? { leaders[gid] }

    /// Returns the downloads that follow a Metalink, in its order.
    package func followers(of gid: GID) -> [GID] { followers[gid] ?? [] }

    /// Records that a download follows a Metalink.
    ///
    /// The Metalink itself is unchanged until `setFollowers`, so that clients never see only some of its files.
    package mutating func setLeader(_ leader: GID, of gid: GID) { leaders[gid] = leader }

    /// Records all downloads that follow a Metalink.
    package mutating func setFollowers(_ gids: [GID], of leader: GID) { followers[leader] = gids }
}
