import Dispatch
import HTTPTypes
package import HaulCore
package import HaulLocal
import HaulTestData
package import HaulTransport
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The system's transfer service, simulated: its tasks and what it has to report outlive the managers that use it.
///
/// Like the real one, it passes on whatever a server sends with whatever status, joins parts under a validator, keeps its
/// reports while nobody receives them, and reports some of them twice or late.
package final class SimulatedSystemSession: SystemSession {
    /// The transfer that resume data continue.
    private struct Stash {
        var url: String
        var headers: HTTPFields
        var validator: String
        var bytes: [UInt8]
    }

    /// A task.
    private struct Work {
        var label: SessionLabel
        var url: String
        var headers: HTTPFields
        var bytes: [UInt8] = []
        /// The validator of the bytes that a resumed task begins with.
        var validator: String?
        var response: SystemResponse?
        var total: Int64?
        var handle: (any TransferHandle)?
    }

    /// A report to the process.
    private enum Report {
        case received(SystemTask, total: Int64?, SystemResponse?)
        case delivered(SystemTask, [UInt8], SystemResponse?)
        case completed(SystemTask, SystemFailure?, SystemResponse?)
        /// The answer to a call of a process.
        case resumeData(SystemTask, [UInt8]?, SystemResponse?, to: (any SystemSessionDelegate)?)
        case all
    }

    private struct State {
        var works: [SystemTaskID: Work] = [:]
        var stashes: [String: Stash] = [:]
        var last = 0
        var delegate: (any SystemSessionDelegate)?
        /// The process that is gone; what is left of it may still call.
        weak var former: (any SystemSessionDelegate)?
        /// Reports that nobody could receive.
        var kept: [Report] = []
        var random: SeededGenerator
        var answers = 0
    }

    private let transport: any Transport
    private let folder: TemporaryFolder
    private let queue = DispatchQueue(label: "haul.system")
    private let state: Mutex<State>

    /// Creates a session without tasks.
    ///
    /// - Parameters:
    ///   - seed: Decides what is reported twice.
    ///   - transport: Sends its requests.
    package init(seed: UInt64, transport: any Transport) throws {
        self.transport = transport
        folder = try TemporaryFolder()
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// The number of tasks that have not ended.
    package var taskCount: Int { state.withLock { $0.works.count } }

    /// The number of answers to "everything was reported".
    package var answers: Int { state.withLock { $0.answers } }

    /// The process that received the reports is gone; returns when it receives none any more.
    ///
    /// Its calls are still answered, with nothing.
    package func leave() async {
        state.withLock { state in (state.former, state.delegate) = (state.delegate ?? state.former, nil) }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Ends all tasks, as at the end of a test.
    package func end() async {
        let works = state.withLock { state in
            state.delegate = nil
            defer { state.works = [:] }
            return state.works
        }
        for work in works.values { work.handle?.cancel() }
        await transport.shutdown()
    }

    // MARK: - SystemSession

    package func attach(_ delegate: any SystemSessionDelegate) {
        let kept = state.withLock { state in
            state.delegate = delegate
            defer { state.kept = [] }
            return state.kept
        }
        guard !kept.isEmpty else { return }
        for each in kept { report(each) }
        report(.all)
    }

    package func tasks() async -> [SystemTask] {
        // After what was kept was reported.
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: self.state.withLock { state in state.works.map { Self.task($0.key, $0.value) } })
            }
        }
    }

    package func start(_ request: SystemRequest, after delay: Duration) throws(DownloadError) -> SystemTaskID {
        var headers = HTTPFields()
        for header in request.headers {
            if let name = HTTPField.Name(header.name) { headers[name] = header.value }
        }
        return begin(Work(label: request.label, url: request.url, headers: headers), after: delay)
    }

    package func start(
        resuming data: [UInt8], _ label: SessionLabel, after delay: Duration
    ) throws(DownloadError) -> SystemTaskID {
        let name = String(decoding: data, as: UTF8.self)
        guard let stash = state.withLock({ $0.stashes.removeValue(forKey: name) }) else {
            throw DownloadError(.fileFailed, "the resume data are not valid any more")
        }
        var work = Work(label: label, url: stash.url, headers: stash.headers, bytes: stash.bytes)
        work.validator = stash.validator
        return begin(work, after: delay)
    }

    package func cancel(_ task: SystemTaskID) {
        guard let work = state.withLock({ $0.works.removeValue(forKey: task) }) else { return }
        work.handle?.cancel()
        report(
            .completed(Self.task(task, work), SystemFailure(DownloadError(.cancelled, "cancelled")), work.response))
    }

    package func cancelKeeping(_ task: SystemTaskID) {
        let (work, data, caller) = state.withLock { state in
            let work = state.works.removeValue(forKey: task)
            return (work, work.flatMap { Self.stash($0, &state) }, state.delegate ?? state.former)
        }
        let found = SystemTask(id: task, label: work?.label, received: Int64(work?.bytes.count ?? 0))
        work?.handle?.cancel()
        report(.resumeData(found, data, work?.response, to: caller))
        if let work {
            let failure = SystemFailure(DownloadError(.cancelled, "cancelled"))
            report(.completed(found, failure, work.response))
        }
    }

    // MARK: - Tasks

    private static func task(_ id: SystemTaskID, _ work: Work) -> SystemTask {
        SystemTask(id: id, label: work.label, received: Int64(work.bytes.count))
    }

    /// Keeps what was received; nil without a validator.
    private static func stash(_ work: Work, _ state: inout State) -> [UInt8]? {
        guard !work.bytes.isEmpty, let head = work.response?.head, head.status == .ok || head.status == .partialContent,
            let validator = head.headerFields[.eTag] ?? head.headerFields[.lastModified]
        else { return nil }
        state.last += 1
        let name = "stash \(state.last)"
        state.stashes[name] = Stash(url: work.url, headers: work.headers, validator: validator, bytes: work.bytes)
        return [UInt8](name.utf8)
    }

    private func begin(_ work: Work, after delay: Duration) -> SystemTaskID {
        let task = state.withLock { state in
            state.last += 1
            state.works[SystemTaskID(rawValue: state.last)] = work
            return SystemTaskID(rawValue: state.last)
        }
        let (seconds, attoseconds) = delay.components
        queue.asyncAfter(deadline: .now() + Double(seconds) + Double(attoseconds) / 1e18) { self.send(task) }
        return task
    }

    private func send(_ task: SystemTaskID) {
        guard let work = state.withLock({ $0.works[task] }) else { return }
        var headers = work.headers
        if let validator = work.validator {
            headers[.range] = "bytes=\(work.bytes.count)-"
            headers[.ifRange] = validator
        }
        let handle = transport.start(TransferRequest(url: work.url, headers: headers), sink: Sink(self, task))
        let isGone = state.withLock { state in
            state.works[task]?.handle = handle
            return state.works[task] == nil
        }
        if isGone { handle.cancel() }
    }

    fileprivate func head(_ task: SystemTaskID, _ response: HTTPResponse) {
        state.withLock { state in
            guard var work = state.works[task] else { return }
            work.response = SystemResponse(response, url: work.url)
            if response.status != .partialContent { work.bytes = [] }
            let length = response.headerFields[.contentLength].flatMap { Int64($0) }
            work.total = length.map { $0 + Int64(work.bytes.count) }
            state.works[task] = work
        }
    }

    fileprivate func body(_ task: SystemTaskID, _ bytes: [UInt8]) -> Bool {
        let work = state.withLock { state -> Work? in
            state.works[task]?.bytes += bytes
            return state.works[task]
        }
        guard let work else { return false }
        report(.received(Self.task(task, work), total: work.total, work.response))
        return true
    }

    fileprivate func finished(_ task: SystemTaskID, _ outcome: TransferOutcome) {
        let (work, data) = state.withLock { state -> (Work?, [UInt8]?) in
            guard let work = state.works.removeValue(forKey: task) else { return (nil, nil) }
            guard case .failed = outcome else { return (work, nil) }
            return (work, Self.stash(work, &state))
        }
        guard let work else { return }
        let found = Self.task(task, work)
        guard case .failed(let error) = outcome else {
            report(.delivered(found, work.bytes, work.response))
            return report(.completed(found, nil, work.response))
        }
        let failure = DownloadError(.connectionFailed, "the transfer has failed", cause: error.detail)
        report(.completed(found, SystemFailure(failure, resumeData: data), work.response))
    }

    // MARK: - Reports

    private func report(_ report: Report) {
        queue.async {
            self.give(report)
            // What says the same again may come again.
            let again = self.state.withLock { Int.random(in: 0..<5, using: &$0.random) == 0 }
            switch report {
            case .received, .completed: if again { self.give(report) }
            case .delivered, .resumeData, .all: break
            }
        }
    }

    private func give(_ report: Report) {
        if case .resumeData(let task, let data, let response, let caller) = report {
            // The data are lost with the process. What is left of it in a test waits for an answer all the same.
            let isThere = state.withLock { $0.delegate === caller }
            caller?.resumeData(task, isThere ? data : nil, response)
            return
        }
        guard let delegate = state.withLock({ $0.delegate }) else {
            return state.withLock { $0.kept.append(report) }
        }
        switch report {
        case .received(let task, let total, let response): delegate.received(task, total: total, response)
        case .delivered(let task, let bytes, let response):
            let path = folder.path("delivered \(task.id.rawValue)")
            _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
            delegate.delivered(task, at: path, response)
            let isLeft = FileManager.default.fileExists(atPath: path)
            try? FileManager.default.removeItem(atPath: path)
            // The process has ended meanwhile, and did not take it.
            if isLeft, state.withLock({ $0.delegate == nil }) { state.withLock { $0.kept.append(report) } }
        case .completed(let task, let failure, let response): delegate.completed(task, failure, response)
        case .resumeData: break
        case .all: delegate.reportedAll { self.state.withLock { $0.answers += 1 } }
        }
    }
}

/// The receiver of one response.
private final class Sink: TransferSink {
    private let session: SimulatedSystemSession
    private let task: SystemTaskID

    init(_ session: SimulatedSystemSession, _ task: SystemTaskID) { (self.session, self.task) = (session, task) }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        session.head(task, response)
        return .accept
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        // Safe: the bytes are copied within the closure.
        session.body(task, unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }) ? .more : .enough
    }

    func woken() -> BodyVerdict { .more }

    func finished(_ outcome: TransferOutcome) { session.finished(task, outcome) }
}
