package import HaulCore

/// One download of an input list, its lines put together.
package struct ListEntry: Hashable, Sendable {
    /// The number of its first line, from 1.
    package let line: Int
    /// Where the file is: the first is asked, the others have the same file.
    package let urls: [String]
    /// What it has of its own.
    package var options: [ListOption]

    /// Makes an entry.
    package init(line: Int, urls: [String], options: [ListOption] = []) {
        self.line = line
        self.urls = urls
        self.options = options
    }

    /// What is to be downloaded.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`: the first thing that can't be used, and what would be right. Nothing of an
    ///   entry is ignored: it might be the checksum.
    package func spec(_ template: DownloadSpec) throws(DownloadError) -> DownloadSpec {
        do throws(Fault) {
            return try parsed(template).spec
        } catch {
            throw DownloadError(.invalidRequest, error.message)
        }
    }

    /// A part of an entry that can't be used.
    struct Fault: Error {
        /// The number of its line.
        let line: Int
        /// What would be right.
        let message: String
    }

    /// What is to be downloaded, and its URL.
    func parsed(_ template: DownloadSpec) throws(Fault) -> (spec: DownloadSpec, url: SourceURL) {
        var draft = ListDraft(template)
        let url: SourceURL
        do throws(DownloadError) {
            url = try readURLs(&draft)
        } catch {
            throw Fault(line: line, message: error.message)
        }
        for option in options {
            do throws(DownloadError) {
                try draft.take(option)
            } catch {
                throw Fault(line: option.line ?? line, message: error.message)
            }
        }
        do throws(DownloadError) {
            return (try draft.finished(), url)
        } catch {
            throw Fault(line: line, message: error.message)
        }
    }

    private func readURLs(_ draft: inout ListDraft) throws(DownloadError) -> SourceURL {
        draft.spec.url = URLArgument.completed(urls.first ?? "")
        let url = try SourceURL(parsing: draft.spec.url)
        // Lists for aria2 repeat a URL to have more connections to it.
        var known: Set = [ByteKey(draft.spec.url)]
        for mirror in urls.dropFirst().map(URLArgument.completed) where known.insert(ByteKey(mirror)).inserted {
            _ = try SourceURL(parsing: mirror)
            draft.spec.mirrors.append(DownloadSpec.Mirror(url: mirror))
        }
        return url
    }
}

/// Puts the lines of a list together: a download is complete when the next one begins.
package struct ListAssembler: Sendable {
    /// What comes out.
    package enum Element: Hashable, Sendable {
        /// A download.
        case entry(ListEntry)
        /// A line that is neither a download nor an option.
        case bad(line: Int, String)
    }

    private enum Above: Sendable {
        case nothing, entry(ListEntry), bad, released
    }

    private var above = Above.nothing

    /// Makes an assembler that has read nothing.
    package init() {}

    /// Whether a download waits for its options.
    package var isPending: Bool { if case .entry = above { true } else { false } }

    /// Takes the next line; it may complete the download above it.
    package mutating func take(_ line: LineSplitter.Line, number: Int) -> [Element] {
        switch ListLine(line) {
        case .nothing: return []
        case .option(let option): return take(option, number: number)
        case .urls(let urls):
            let last = finish()
            above = .entry(ListEntry(line: number, urls: urls))
            return last
        case .object(let urls, let options):
            let last = finish()
            above = .entry(ListEntry(line: number, urls: urls, options: options))
            return last
        case .badOption(let message):
            // The download above it is left out with it: the line might be its checksum.
            if case .bad = above { return [] }
            above = .bad
            return [.bad(line: number, message)]
        case .bad(let message):
            let last = finish()
            above = .bad
            return last + [.bad(line: number, message)]
        }
    }

    /// Gives up the download that waits for options, because no further line comes for now.
    package mutating func release() -> [Element] {
        guard isPending else { return [] }
        defer { above = .released }
        return finish()
    }

    /// The list is at its end.
    package mutating func finish() -> [Element] {
        defer { above = .nothing }
        guard case .entry(let entry) = above else { return [] }
        return [.entry(entry)]
    }

    private mutating func take(_ option: ListOption, number: Int) -> [Element] {
        switch above {
        case .entry(var entry):
            var option = option
            option.line = number
            entry.options.append(option)
            above = .entry(entry)
            return []
        // The line above was complained of already.
        case .bad: return []
        case .nothing:
            above = .bad
            return [.bad(line: number, "an option without a URL: write the URL in a line above it, not indented")]
        case .released:
            above = .bad
            return [
                .bad(line: number, "the option comes too late: its download has already started")
            ]
        }
    }
}
