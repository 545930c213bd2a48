/// The settings that all runs into one folder must have in common, so that every row is in one shard.
package struct BatchSettings: Hashable, Sendable, Codable {
    /// The name of the file in the folder.
    package static let fileName = "batch.json"

    /// The version of the layout.
    package var version = 1
    /// The number of shards; 0 if the caller has divided the rows.
    package var shards: Int
    /// The division of rows among shards: `host`, `row`, or `name` if the caller has divided them.
    package var shardBy: String
    /// The form of the output.
    package var format: String
    /// The connections per host, if the division depends on it.
    package var perHost: Int?
    /// The start of the manifest that the first run has read, if there are several shards: all of them must have it in
    /// common.
    package var manifest: ManifestStart?
    /// The column with the ids of the rows, empty if they are known by their numbers; nil if no run has read a row.
    package var idColumn: String?
    /// The format of the manifest, if there are several shards; nil if no run has read it.
    package var manifestFormat: String?
    /// The column with the URLs, if the division depends on it.
    package var urlColumn: String?

    /// Creates settings.
    package init(
        shards: Int, shardBy: String, format: PartFormat, perHost: Int?, manifest: ManifestStart?,
        urlColumn: String? = nil
    ) {
        self.shards = shards
        self.shardBy = shards == 1 ? "row" : shardBy
        self.format = format.rawValue
        (self.perHost, self.manifest, self.urlColumn) = (perHost, manifest, urlColumn)
    }

    /// Creates settings of a folder whose shards have only names.
    package init(namedShards format: PartFormat) {
        (shards, shardBy, self.format) = (0, "name", format.rawValue)
    }

    /// The number of shards, in words.
    package var division: String {
        switch shards {
        case 0: "shards with names (--shard-name)"
        case 1: "one shard"
        default: "\(shards) shards"
        }
    }

    /// Returns the difference to the settings of a folder, as a sentence; nil if there is none.
    package func conflict(with earlier: BatchSettings) -> String? {
        let start = "an earlier run into this folder"
        if earlier.version != version { return "\(start) was made by another version of haul" }
        if earlier.format != format { return "\(start) used --format \(earlier.format)" }
        if (earlier.shards == 0) != (shards == 0) {
            return shards == 0 ? "\(start) did not use --shard-name" : "\(start) used --shard-name"
        }
        if earlier.shards != shards { return "\(start) had \(earlier.division): use the same number" }
        if earlier.shardBy != shardBy { return "\(start) used --shard-by \(earlier.shardBy)" }
        if earlier.perHost != perHost { return "\(start) used --per-host \(earlier.perHost ?? 0)" }
        if let old = earlier.urlColumn, let new = urlColumn, old != new { return "\(start) used --url-column \(old)" }
        if let old = earlier.manifestFormat, let new = manifestFormat, old != new {
            return "\(start) read the manifest as \(old) (--manifest-format)"
        }
        if let old = earlier.idColumn, let new = idColumn, old != new {
            return old.isEmpty
                ? "\(start) knew the rows by their numbers, without an id column: use a new folder"
                : "\(start) used --id-column \(old): use the same column, or a new folder"
        }
        // A manifest that is a pipe can't be compared.
        if let old = earlier.manifest, let new = manifest, old != new {
            return "the manifest has changed since \(start), and rows may be in other shards: "
                + (shardBy == "row" ? "add new rows only at the end, or use a new folder" : "use a new folder")
        }
        return nil
    }
}

/// The first bytes of a manifest.
package struct ManifestStart: Hashable, Sendable, Codable {
    /// Their number: the size of the file when the first run began.
    package var bytes: Int64
    /// Their SHA-256 in hexadecimal.
    package var sha256: String

    /// Creates the value.
    package init(bytes: Int64, sha256: String) { (self.bytes, self.sha256) = (bytes, sha256) }
}
