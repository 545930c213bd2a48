import HTTPTypes
import HaulBatch
import HaulCore
import HaulDigest
import HaulEngine
import HaulFiles
import HaulLibC
import Synchronization

/// The content of a file that was fetched.
enum RowContent: Sendable {
    case memory([UInt8])
    /// A temporary file.
    case file(OpenFile)
}

/// The memory that contents may take in this process; beyond it, they go to temporary files earlier.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// Takes memory; returns false if there is none left.
    func take(_ count: Int) -> Bool {
        guard used.wrappingAdd(count, ordering: .relaxed).newValue > limit else { return true }
        used.wrappingSubtract(count, ordering: .relaxed)
        return false
    }

    func give(_ count: Int) { used.wrappingSubtract(count, ordering: .relaxed) }
}

/// Receives the responses and the content of one row, and judges them.
///
/// The heads come on the transport's threads, the content from one task.
final class RowCollector: Sendable {
    /// The facts about the last response.
    struct Facts: Sendable {
        var url: SourceURL?
        var status: Int?
        var contentType: String?
        /// The pause that a busy server asked for, in seconds.
        var retryAfter: Int64?
    }

    private struct Head {
        var facts = Facts()
        var refusal: RowRefusal?
        /// The versions that responses of this attempt and of earlier ones have shown.
        var seen: SeenVersions
        /// The version of the last response with the whole file.
        var version: KnownVersion?
        /// The size that this response should have, and the one that it has at least, if it announces none.
        var expected: (size: Int64?, least: Int64) = (nil, 0)
    }

    private struct Body {
        var bytes: [UInt8] = []
        var file: OpenFile?
        var size: Int64 = 0
        var digest = StreamingDigest(.sha256)
        var isJudged = false
        var start: ArraySlice<UInt8> = []
        var failure: DownloadError?
        /// The bytes taken of the budget.
        var taken = 0
    }

    /// The size up to which a content stays in memory, whatever the budget.
    private static let alwaysInMemory = 64 << 10
    private static let robotsTag = HTTPField.Name("X-Robots-Tag")

    private let rules: ResponseRules
    private let memoryPerRow: Int
    private let budget: MemoryBudget
    /// The folder of temporary files.
    private let folder: String
    private let head: Mutex<Head>
    private let body = Mutex(Body())

    /// Makes a collector of an attempt.
    ///
    /// - Parameter seen: The versions that earlier attempts have shown.
    init(_ rules: ResponseRules, memoryPerRow: Int, budget: MemoryBudget, folder: String, seen: SeenVersions) {
        (self.rules, self.memoryPerRow, self.budget, self.folder) = (rules, memoryPerRow, budget, folder)
        head = Mutex(Head(seen: seen))
    }

    /// The facts about the last response.
    var facts: Facts { head.withLock { $0.facts } }
    /// The reason not to keep the file.
    var refusal: RowRefusal? { head.withLock { $0.refusal } }
    /// The versions that responses of this attempt and of earlier ones have shown.
    var seen: SeenVersions {
        let size = body.withLock { $0.size }
        let (known, version) = head.withLock { ($0.seen, $0.version) }
        var seen = known
        if let version { seen.addExisting(version, bytes: size) }
        return seen
    }
    /// The error if the content ended before the size that an earlier response announced, or before its bytes did; nil if
    /// it did not.
    var shortfall: DownloadError? {
        let size = body.withLock { $0.size }
        let (expected, least) = head.withLock { $0.expected }
        guard size < expected ?? least else { return nil }
        let earlier = expected.map { "announced \($0)" } ?? "had more"
        return DownloadError(
            .badResponse, "the response ended after \(size) bytes; an earlier one \(earlier)", detail: .mustStartAgain)
    }
    /// The kind of the content; nil if none was received.
    var kind: ResponseKind? {
        body.withLock { $0.size } > 0 ? ResponseKind(contentType: facts.contentType) : nil
    }

    /// Returns the error if this content is text or a page, and an earlier attempt, which broke, began with something else: then
    /// it is more likely an error than the rest.
    func error(after earlier: ResponseKind?) -> DownloadError? {
        guard earlier == .other, let kind, kind != .other else { return nil }
        return DownloadError(
            .badResponse, "the server sent text, possibly an error, in place of what it had begun",
            detail: .mustStartAgain)
    }

    /// The failure of the temporary file.
    var failure: DownloadError? { body.withLock { $0.failure } }

    /// Takes the head of a response.
    func receive(_ response: HTTPResponse, from url: SourceURL) {
        let fields = response.headerFields
        let isFile = response.status.kind == .successful
        let tags = Self.robotsTag.map { fields[values: $0] } ?? []
        head.withLock { head in
            head.facts = Facts(url: url, status: response.status.code, contentType: fields[.contentType])
            if [429, 503].contains(response.status.code) {
                head.facts.retryAfter = fields[.retryAfter].flatMap {
                    RetryAfter.delay($0, now: WallClock.milliseconds() / 1000)
                }
            }
            guard isFile, head.refusal == nil else { return }
            let length = fields[.contentLength].flatMap { Int64($0) }
            if response.status == .ok {
                let validators = Validators(etag: fields[.eTag], lastModified: fields[.lastModified])
                // The end of a chunked response is known, though not to a proxy that lost its server.
                let mayBeNewest = !validators.hasAny && fields[.transferEncoding] == nil
                if length != nil {
                    head.expected = (nil, 0)
                } else if mayBeNewest {
                    head.expected = (head.seen.newestTotal, head.seen.mostBytes)
                } else {
                    head.expected = (head.seen.total(with: validators), head.seen.leastBytes(of: validators))
                }
                head.seen.add(validators, total: length)
                head.version = KnownVersion(total: length, validators: validators)
            }
            head.refusal = rules.judge(contentLength: length, contentType: head.facts.contentType, robotsTags: tags)
        }
    }

    /// Takes the next bytes; returns false if no more are wanted.
    func receive(_ bytes: [UInt8]) async -> Bool {
        guard refusal == nil else { return false }
        let (first, needsFile) = body.withLock { body -> (ArraySlice<UInt8>?, Bool) in
            body.size += Int64(bytes.count)
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            body.digest.update(unsafe bytes.span.bytes)
            if body.file == nil, fits(&body, bytes.count) {
                // The only piece of a small file is kept as it is.
                if body.bytes.isEmpty { body.bytes = bytes } else { body.bytes += bytes }
                return (body.bytes.prefix(MediaType.detectedBytes), false)
            }
            if body.start.isEmpty { body.start = (body.bytes + bytes).prefix(MediaType.detectedBytes) }
            return (body.start, true)
        }
        if let refusal = judge(first ?? [], isEnd: false) {
            head.withLock { $0.refusal = refusal }
            return false
        }
        guard needsFile else { return true }
        return await BlockingQueue(label: "haul.spill").run { [self] in spill(bytes) }
    }

    /// Ends the content, and returns it with its size, digest and media type; nil if it is refused.
    func finish() -> (content: RowContent, size: Int64, sha256: String, type: String?)? {
        let start = body.withLock { $0.file == nil ? $0.bytes.prefix(MediaType.detectedBytes) : $0.start }
        if refusal != nil { return nil }
        if let refusal = judge(start, isEnd: true) {
            head.withLock { $0.refusal = refusal }
            return nil
        }
        let type = MediaType.detect(start) ?? MediaType.declared(facts.contentType)
        return body.withLock { body in
            let digest = body.digest.finalize()
            if let file = body.file { return (.file(file), body.size, digest, type) }
            defer { body.bytes = [] }
            return (.memory(body.bytes), body.size, digest, type)
        }
    }

    /// Returns the memory to the budget.
    func release() {
        let taken = body.withLock { body in
            defer { body.taken = 0 }
            return body.taken
        }
        if taken > 0 { budget.give(taken) }
    }

    private func judge(_ start: ArraySlice<UInt8>, isEnd: Bool) -> RowRefusal? {
        let size = body.withLock { $0.size }
        if let refusal = rules.judge(size: size) { return refusal }
        guard isEnd || start.count >= MediaType.detectedBytes else { return nil }
        let isJudged = body.withLock { body in
            defer { body.isJudged = true }
            return body.isJudged
        }
        return isJudged ? nil : rules.judge(start: start, contentType: facts.contentType)
    }

    private func fits(_ body: inout Body, _ more: Int) -> Bool {
        let count = body.bytes.count + more
        if count <= Self.alwaysInMemory { return true }
        guard count <= memoryPerRow, budget.take(more) else { return false }
        body.taken += more
        return true
    }

    /// Writes bytes to the temporary file, which has no name and vanishes with the process.
    private func spill(_ bytes: [UInt8]) -> Bool {
        body.withLock { body in
            do throws(FileError) {
                let system = SystemCalls.live
                if body.file == nil {
                    let file = try Self.temporary(folder, system)
                    // Safe, here and below: the bytes of an array of integers are initialised, and it outlives the call.
                    try system.write(file, unsafe body.bytes.span.bytes, at: 0)
                    (body.file, body.bytes) = (file, [])
                }
                guard let file = body.file else { return false }
                try system.write(file, unsafe bytes.span.bytes, at: body.size - Int64(bytes.count))
                return true
            } catch {
                body.failure = error.downloadError
                return false
            }
        }
    }

    private static func temporary(_ folder: String, _ system: SystemCalls) throws(FileError) -> OpenFile {
        if let file = try? system.openNameless(inFolder: folder) { return file }
        // File systems without files without names: the name is removed at once.
        let path = "\(folder)/.row-\(UInt64.random(in: 0...UInt64.max))"
        let file = try system.open(path, .createNew)
        try system.unlink(path)
        return file
    }
}
