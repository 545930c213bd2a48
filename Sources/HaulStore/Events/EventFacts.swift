import HaulCore

/// The content of an event, as a name and, if there is more, as JSON.
struct EventFacts {
    /// The name of the kind.
    let name: String
    /// The whole kind; nil if the name is its whole content.
    let json: String?

    /// Encodes a kind of event that is recorded.
    ///
    /// - Throws: `internal` for one that is not.
    init(_ kind: DownloadEvent.Kind, _ encoder: inout FactsEncoder) throws {
        let (name, isWhole) = try Self.name(of: kind)
        self.name = name
        json = isWhole ? nil : try encoder.text(kind)
    }

    /// Returns the JSON of the kind, with the tags of a removed download, which are not stored anywhere else.
    func json(_ tagsOfRemoved: Set<String>?) throws -> String? {
        guard let tagsOfRemoved, name == "removed", let json else { return json }
        var removal: Removal = try StoredJSON.value(json)
        removal.removed.tags = tagsOfRemoved.sorted()
        return try StoredJSON.text(removal)
    }

    /// A removal as `DownloadEvent.Kind` encodes it, with the additional fields of the database.
    private struct Removal: Codable {
        var removed: Facts

        struct Facts: Codable {
            var files: RemovedFiles
            var tags: [String]?

            enum CodingKeys: String, CodingKey {
                case files = "_0"
                case tags
            }
        }
    }

    /// Returns the kind that was recorded; `changed` if it cannot be decoded.
    static func kind(_ name: String, _ json: String?) -> DownloadEvent.Kind {
        if let json { return (try? StoredJSON.value(json)) ?? .changed }
        switch name {
        case "added": return .added
        case "resumed": return .resumed
        case "sourceReplaced": return .sourceReplaced
        default: return .changed
        }
    }

    private static func name(of kind: DownloadEvent.Kind) throws -> (String, isWhole: Bool) {
        switch kind {
        case .snapshot, .progress: throw DownloadError(.internal, "progress and snapshots are never recorded")
        case .added: ("added", true)
        case .started: ("started", false)
        case .waiting: ("waiting", false)
        case .notice: ("notice", false)
        case .paused: ("paused", false)
        case .resumed: ("resumed", true)
        case .sourceReplaced: ("sourceReplaced", true)
        case .finished: ("finished", false)
        case .failed: ("failed", false)
        case .cancelled: ("cancelled", false)
        case .removed: ("removed", false)
        case .changed: ("changed", true)
        }
    }
}
