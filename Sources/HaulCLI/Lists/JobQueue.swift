package import HaulCore

/// The downloads of a run, one after the other: those of the command line, then those of the list, which is streamed.
package struct JobQueue: Sendable {
    /// The next thing to do.
    package enum Item: Sendable {
        /// A download and its URL.
        case job(Job, url: String)
        /// A download with more than a URL of its own.
        case spec(Job, DownloadSpec)
        /// A line of the list that is no URL.
        case bad(BadLine)
    }

    private var urls: ArraySlice<String>
    private var specs: ArraySlice<DownloadSpec>
    private let list: String?
    private let reader: ListReader?
    private var lastID = 0
    private var lastLine = 0
    private var ended = false

    /// Opens the list of a plan.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the list can't be opened.
    package init(urls: [String], specs: [DownloadSpec] = [], list: String?) throws(DownloadError) {
        self.urls = urls[...]
        self.specs = specs[...]
        self.list = list
        if let list { reader = try ListReader(path: list) } else { reader = nil }
    }

    /// Whether something is, or may be, left: a list is known to be over only when it was read to its end.
    package var mayHaveMore: Bool { !urls.isEmpty || !specs.isEmpty || reader != nil && !ended }

    /// The next item; nil at the end, and when the task is cancelled while it waits for a line.
    package mutating func next() async -> Item? {
        if let url = urls.popFirst() { return item(url) }
        if let spec = specs.popFirst() { return item(spec) }
        guard let reader, let list, !ended else { return nil }
        do throws(DownloadError) {
            while let line = try await reader.next() {
                lastLine += 1
                switch ListEntry(line) {
                case .nothing: continue
                case .url(let url): return item(url)
                case .bad(let message): return bad(message, list)
                }
            }
            ended = !Task.isCancelled
            return nil
        } catch {
            ended = true
            return bad(error.description, list)
        }
    }

    private mutating func item(_ url: String) -> Item {
        do throws(DownloadError) {
            let source = try SourceURL(parsing: url)
            lastID += 1
            return .job(Job(id: lastID, url: source), url: url)
        } catch {
            return bad(error.message, list ?? "the command line")
        }
    }

    private mutating func item(_ spec: DownloadSpec) -> Item {
        let plain = item(spec.url)
        guard case .job(let job, _) = plain else { return plain }
        return .spec(job, spec)
    }

    private mutating func bad(_ message: String, _ list: String) -> Item {
        lastID += 1
        return .bad(BadLine(id: lastID, list: list, line: lastLine, message: message))
    }
}
