package import HaulBatch
package import HaulCore

/// The work of one process: one shard of a manifest.
package struct BatchJob: Sendable {
    /// The division of rows among shards.
    package enum Division: String, Hashable, Sendable, CaseIterable {
        /// Each host in one shard.
        case host
        /// Every Nth row.
        case row
    }

    /// The manifest; `-` is standard input.
    package var manifest: String
    /// The format of the manifest; nil: by its name or its first byte.
    package var format: ManifestFormat?
    /// The columns.
    package var columns = ManifestColumns()
    /// The output folder.
    package var folder: String
    /// The shard.
    package var shard = Shard.whole
    /// The division among shards.
    package var division = Division.host
    /// The number of the shard in the names of parts, for rows that the caller has divided; nil: that of the shard.
    package var shardName: Int?
    /// The form of the output.
    package var output = PartFormat.tar
    /// The number of results in a part.
    package var rowsPerPart = 10_000
    /// The number of rows at a time.
    package var jobs = 64
    /// The number of rows at a time from one host, over all shards.
    package var perHost = 4
    /// The rows to fetch.
    package var selection = RowSelection.missing
    /// The rules for responses.
    package var rules = ResponseRules()
    /// True if `robots.txt` is followed.
    package var followsRobotsText = false
    /// The options of each request; its URL is replaced.
    package var template: DownloadSpec
    /// Files up to this size stay in memory; larger ones go through a temporary file.
    package var memoryPerRow = 4 << 20
    /// The time between two reports.
    package var reportInterval = Duration.seconds(10)

    /// Creates a job with the defaults.
    package init(manifest: String, folder: String, template: DownloadSpec) {
        (self.manifest, self.folder, self.template) = (manifest, folder, template)
    }

    /// The number of the shard in the names of parts.
    var partShard: Int { shardName ?? shard.index }

    /// True if the rows of the shard depend on the whole manifest.
    var needsPlan: Bool { shard.count > 1 && division == .host }

    /// True if the shard of a row follows from its number.
    var dividesByNumber: Bool { shard.count > 1 && division == .row }
}
