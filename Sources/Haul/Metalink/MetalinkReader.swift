import HaulCore

#if canImport(FoundationXML)
    import Foundation
    import FoundationXML
#else
    import Foundation
#endif

/// Parses the elements of a document one by one, with limits of its own, and collects the descriptions of the files.
///
/// XMLParser is libxml2's event reader; it resolves no external entities, and documents with internal ones are rejected
/// before (see `MetalinkGuard`).
final class MetalinkReader: NSObject, XMLParserDelegate {
    /// The descriptions of the files, unchecked.
    private(set) var drafts: [MetalinkDraft] = []
    private var problem: String?
    private var depth = 0
    /// The names of the open elements in Metalink's own namespaces; nil for others.
    private var path: [String?] = []
    private var text = ""
    private var attributes: [[String: String]] = []

    private static let namespaces = ["urn:ietf:params:xml:ns:metalink", "http://www.metalinker.org/"]

    /// Parses a document.
    func read(_ bytes: [UInt8]) throws(DownloadError) {
        let parser = XMLParser(data: Data(bytes))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = self
        let isWellFormed = parser.parse()
        if let problem { throw MetalinkGuard.refusal(problem) }
        guard isWellFormed else {
            throw MetalinkGuard.refusal("malformed XML, at line \(parser.lineNumber)")
        }
    }

    private func refuse(_ reason: String, _ parser: XMLParser) {
        problem = problem ?? reason
        parser.abortParsing()
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        depth += 1
        guard depth <= Metalink.maxDepth else {
            return refuse("its elements are nested deeper than \(Metalink.maxDepth)", parser)
        }
        let own = namespaceURI.map(Self.namespaces.contains) == true ? name : nil
        if depth == 1, own != "metalink" { return refuse("it is XML, but not a Metalink", parser) }
        path.append(own)
        self.attributes.append(attributes)
        text = ""
        switch place {
        case ["metalink", "file"], ["metalink", "files", "file"]:
            guard drafts.count < Metalink.maxFiles else {
                return refuse("it has more than \(Metalink.maxFiles) files", parser)
            }
            drafts.append(MetalinkDraft(name: attributes["name"] ?? ""))
        case ["metalink", "file", "pieces"], ["metalink", "files", "file", "verification", "pieces"]:
            change { $0.pieces.append(.init(type: attributes["type"] ?? "", length: attributes["length"] ?? "")) }
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(_ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?) {
        refuse("it has entities", parser)
    }

    func parser(
        _ parser: XMLParser, foundExternalEntityDeclarationWithName name: String, publicID: String?, systemID: String?
    ) {
        refuse("it has entities", parser)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard problem == nil, let own = attributes.popLast() else { return }
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch place {
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
            change { $0.addSource(value, location: own["location"], preference: own["preference"]) }
        default: break
        }
        path.removeLast()
        depth -= 1
        text = ""
    }

    /// The names of the open elements; empty for those of other namespaces.
    private var place: [String] { path.map { $0 ?? "" } }

    private func change(_ body: (inout MetalinkDraft) -> Void) {
        guard !drafts.isEmpty else { return }
        body(&drafts[drafts.count - 1])
    }
}
