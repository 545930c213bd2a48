package import HaulCore

/// The downloads of a run, one after the other: those of the command line, then those of the list, which is streamed.
package struct JobQueue: Sendable {
    /// The next thing to do.
    package enum Item: Sendable {
        /// A download; a spec is large, and an item is handed on several times.
        indirect case job(GetJob, DownloadSpec)
        /// A line of the list that is no URL.
        case bad(BadLine)
    }

    private let template: DownloadSpec
    private let hosts: HostSettings
    private var urls: ArraySlice<String>
    private var specs: ArraySlice<DownloadSpec>
    private let list: String?
    private let reader: ListReader?
    private var assembler = ListAssembler()
    /// What was read and is not taken yet: at most what a portion of lines and the download above it make.
    private var read: ArraySlice<ListAssembler.Element> = []
    private var lastID = 0
    private var lastLine = 0
    private var ended = false

    /// Opens the list of a plan; the template is what all downloads have in common.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the list can't be opened.
    package init(
        urls: [String], specs: [DownloadSpec] = [], list: String?,
        template: DownloadSpec = DownloadSpec(url: "", destination: .folder(path: ".")),
        hosts: HostSettings = HostSettings()
    ) throws(DownloadError) {
        self.template = template
        self.hosts = hosts
        self.urls = urls[...]
        self.specs = specs[...]
        self.list = list
        if let list { reader = try ListReader(path: list) } else { reader = nil }
    }

    /// Whether something is, or may be, left: a list is known to be over only when it was read to its end.
    package var mayHaveMore: Bool {
        !urls.isEmpty || !specs.isEmpty || !read.isEmpty || reader != nil && !ended
    }

    /// The next item; nil at the end, and when the task is cancelled while it waits for a line.
    package mutating func next() async -> Item? {
        if let url = urls.popFirst() { return item(ListEntry(line: 0, urls: [url])) }
        if let spec = specs.popFirst() { return item(spec) }
        while read.isEmpty, let reader, !ended {
            // Where a list is written while it is read, a download does not wait for options for longer than 100 ms.
            await readOn(reader, assembler.isPending ? .moment : .unlimited)
            guard !Task.isCancelled else { return nil }
        }
        return nextRead()
    }

    /// How many downloads are known so far, those that were handed out included; a list may have more.
    package var known: Int {
        lastID + urls.count + specs.count + read.count + (assembler.isPending ? 1 : 0)
    }

    /// The number of all downloads; nil if there is a list, which may have more.
    package var total: Int? { reader == nil ? known : nil }

    /// Reads what is there of the list without waiting, until this many downloads are known.
    package mutating func readAhead(to count: Int) async {
        while known < count, let reader, !ended, await readOn(reader, .none) {}
    }

    /// The next item of those that were read already; nil where the next one has to be waited for.
    package mutating func nextRead() -> Item? {
        switch read.popFirst() {
        case nil: nil
        case .entry(let entry): item(entry)
        case .bad(let line, let message): bad(message, line: line)
        }
    }

    /// Reads lines; what fails becomes the last item.
    ///
    /// - Returns: whether there is more to be read at once.
    @discardableResult
    private mutating func readOn(_ reader: ListReader, _ patience: ListReader.Patience) async -> Bool {
        do throws(DownloadError) {
            switch try await reader.next(patience) {
            case .lines(let lines):
                for line in lines {
                    lastLine += 1
                    read += assembler.take(line, number: lastLine)
                }
                return true
            case .idle: if patience != .none { read += assembler.release() }
            case .end:
                guard !Task.isCancelled else { return false }
                read += assembler.finish()
                ended = true
            }
        } catch {
            read.append(.bad(line: lastLine, error.description))
            ended = true
        }
        return false
    }

    private mutating func item(_ entry: ListEntry) -> Item {
        do throws(ListEntry.Fault) {
            let template = hosts.template(template, for: entry.urls.first)
            let (spec, url) = try entry.parsed(template)
            lastID += 1
            return .job(
                GetJob(
                    id: lastID, url: url, line: entry.line > 0 ? entry.line : nil, list: entry.line > 0 ? list : nil,
                    path: spec.destination.filePath, variant: Self.variant(of: spec, template)),
                spec)
        } catch {
            return bad(error.message, line: error.line)
        }
    }

    /// Returns a number for the options of an entry that decide what the server sends; nil if it has no such options.
    private static func variant(of spec: DownloadSpec, _ template: DownloadSpec) -> Int? {
        func parts(_ spec: DownloadSpec) -> VariantParts {
            VariantParts(
                range: spec.range, headers: spec.headers, referer: spec.referer, compression: spec.compression)
        }
        let own = parts(spec)
        return own == parts(template) ? nil : own.hashValue
    }

    /// The properties that decide, beside the URL, what the server sends for an entry of a list.
    private struct VariantParts: Hashable {
        let range: ByteRange?
        let headers: [DownloadSpec.Header]
        let referer: String?
        let compression: Compression
    }

    private mutating func item(_ spec: DownloadSpec) -> Item {
        do throws(DownloadError) {
            let source = try SourceURL(parsing: spec.url)
            lastID += 1
            return .job(GetJob(id: lastID, url: source, path: spec.destination.filePath), spec)
        } catch {
            return bad(error.message, line: 0)
        }
    }

    private mutating func bad(_ message: String, line: Int) -> Item {
        lastID += 1
        return .bad(BadLine(id: lastID, list: list ?? "the command line", line: line, message: message))
    }
}
