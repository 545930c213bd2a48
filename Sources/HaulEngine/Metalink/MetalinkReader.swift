import HaulCore

/// Reads the elements of a document one by one, with limits, and collects what it says about each file.
struct MetalinkReader {
    /// The entries of the document for each file, unchecked.
    private(set) var drafts: [MetalinkDraft] = []
    /// The open elements, the innermost last.
    private var open: [Element] = []
    private var text = ""

    private struct Element {
        /// The name without its prefix; empty for an element of another namespace than Metalink's.
        let name: String
        let attributes: [String: String]
        /// The namespaces that its content can use, by prefix; the default one under the empty prefix.
        let namespaces: [Substring: String]
    }

    private static let namespaces = ["urn:ietf:params:xml:ns:metalink", "http://www.metalinker.org/"]

    /// Reads a document.
    mutating func read(_ bytes: [UInt8]) throws(DownloadError) {
        var tokens = XMLTokenizer(bytes)
        while let token = try Self.next(&tokens) {
            switch token {
            case .start(let name, let attributes): try begin(name, attributes)
            case .text(let more): text += more
            case .end: end()
            }
        }
    }

    private static func next(_ tokens: inout XMLTokenizer) throws(DownloadError) -> XMLTokenizer.Token? {
        do {
            return try tokens.next()
        } catch {
            let reason = TerminalText.printable(String(error.reason.prefix(200)))
            throw MetalinkGuard.refusal("malformed XML, at line \(error.line): \(reason)")
        }
    }

    private mutating func begin(_ qualifiedName: String, _ attributes: [String: String]) throws(DownloadError) {
        guard open.count < Metalink.maxDepth else {
            throw MetalinkGuard.refusal("its elements are nested deeper than \(Metalink.maxDepth)")
        }
        open.append(element(qualifiedName, attributes))
        text = ""
        guard open.count > 1 || open[0].name == "metalink" else {
            throw MetalinkGuard.refusal("it is XML, but not a Metalink")
        }
        switch path {
        case ["metalink", "file"], ["metalink", "files", "file"]:
            guard drafts.count < Metalink.maxFiles else {
                throw MetalinkGuard.refusal("it has more than \(Metalink.maxFiles) files")
            }
            drafts.append(MetalinkDraft(name: attributes["name"] ?? ""))
        case ["metalink", "file", "pieces"], ["metalink", "files", "file", "verification", "pieces"]:
            change { $0.pieces.append(.init(type: attributes["type"] ?? "", length: attributes["length"] ?? "")) }
        default: break
        }
    }

    /// Namespaces in XML 1.0, sections 3 and 5: `xmlns` and `xmlns:prefix` apply to the element itself and its content.
    private func element(_ qualifiedName: String, _ attributes: [String: String]) -> Element {
        var namespaces = open.last?.namespaces ?? [:]
        for (key, value) in attributes {
            if key == "xmlns" {
                namespaces[""] = value
            } else if key.hasPrefix("xmlns:") {
                namespaces[key.dropFirst(6)] = value
            }
        }
        let parts = qualifiedName.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let prefix = parts.count == 2 ? parts[0] : ""
        let isOwn = namespaces[prefix].map(Self.namespaces.contains) == true
        return Element(
            name: isOwn ? String(parts[parts.count - 1]) : "", attributes: attributes, namespaces: namespaces)
    }

    private mutating func end() {
        let path = path
        let value = text.trimmingBlanks
        let own = open.removeLast().attributes
        text = ""
        switch path {
        case ["metalink", "file", "size"], ["metalink", "files", "file", "size"]: change { $0.size = value }
        case ["metalink", "file", "language"], ["metalink", "files", "file", "language"]:
            change { $0.languages.append(value) }
        case ["metalink", "file", "os"], ["metalink", "files", "file", "os"]: change { $0.systems.append(value) }
        case ["metalink", "file", "version"], ["metalink", "files", "file", "version"]: change { $0.version = value }
        case ["metalink", "file", "hash"], ["metalink", "files", "file", "verification", "hash"]:
            change { $0.hashes.append((own["type"] ?? "", value)) }
        case ["metalink", "file", "pieces", "hash"], ["metalink", "files", "file", "verification", "pieces", "hash"]:
            change { $0.addPiece(value, number: own["piece"]) }
        case ["metalink", "file", "url"]:
            change { $0.addSource(value, location: own["location"], priority: own["priority"]) }
        case ["metalink", "files", "file", "resources", "url"]:
            change {
                $0.addSource(value, location: own["location"], preference: own["preference"], type: own["type"])
            }
        default: break
        }
    }

    /// The names of the open elements.
    private var path: [String] { open.map(\.name) }

    private mutating func change(_ body: (inout MetalinkDraft) -> Void) {
        guard !drafts.isEmpty else { return }
        body(&drafts[drafts.count - 1])
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
