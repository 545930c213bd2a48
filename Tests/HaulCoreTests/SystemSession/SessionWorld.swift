import HaulCore
import HaulTestData

/// A process with a machine, the system's daemon that outlives it, and the list that says what is wanted.
///
/// Everything that the daemon does may come late, twice, or after the process was killed and started again.
struct SessionWorld {
    typealias Machine = SessionMachine

    /// A task of the daemon.
    struct SystemWork {
        var label: SessionLabel
        var received = 0
    }

    /// What the daemon has to report.
    enum Report: Hashable {
        case progress(SystemTaskID, SessionLabel, Int)
        case file(SystemTaskID, SessionLabel)
        case success(SystemTaskID, SessionLabel)
        case failure(SystemTaskID, SessionLabel, hasData: Bool)
        case data(SystemTaskID, isThere: Bool)
    }

    /// A download of the list.
    struct Listed {
        enum Want { case wanted, paused, discarded, finished }

        var source = 0
        var want = Want.wanted
        var hasRun = false
        var isChecking = false
        /// The source of the file that has its name.
        var published: Int?
        var runs = 0
        var ends = 0
    }

    static let size = 4
    static let policy = RetryPolicy(limit: 3)

    var random: SeededGenerator
    var faults: [String] = []
    // The daemon, which nothing ends.
    var tasks: [SystemTaskID: SystemWork] = [:]
    var reports: [Report] = []
    var nextTask = 1
    var owedAnswers = 0
    /// True while the daemon fails no more, and nobody changes the list.
    var isQuiet = false
    // The disk.
    var files: [DownloadID: String] = [:]
    var resumeData: [DownloadID: String] = [:]
    var list: [DownloadID: Listed] = [:]
    // The process.
    var machine = Machine()
    var isOpen = false
    var pendingStops: Set<DownloadID> = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for id in 1...Int64(Int.random(in: 1...4, using: &random)) { list[DownloadID(rawValue: id)] = Listed() }
        launch()
    }

    mutating func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < one }

    func standing(_ id: DownloadID) -> Machine.Standing {
        switch list[id]?.want {
        case .wanted: .wanted
        case .paused: .kept
        case .discarded, .finished, nil: .gone
        }
    }

    func name(_ source: Int) -> String { "source\(source)" }

    // MARK: - The process

    /// Starts a process: what an earlier one has left is read, and the daemon is asked for its tasks.
    mutating func launch() {
        for id in list.keys {
            list[id]?.hasRun = false
            list[id]?.isChecking = false
        }
        pendingStops = []
        machine = Machine(files: files, resumeData: resumeData)
        isOpen = false
        let held = tasks.sorted { $0.key < $1.key }.map {
            Machine.HeldTask(id: $0.key, label: $0.value.label, received: Int64($0.value.received))
        }
        // Tasks continue, and the daemon reports, before the list of tasks is read.
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            work()
            deliver()
        }
        let ids = Set(list.keys).union(held.compactMap(\.label?.download)).union(machine.downloads)
        isOpen = true
        handle(.opened(held, Dictionary(uniqueKeysWithValues: ids.map { ($0, standing($0)) })))
        if chance(1, of: 2) {
            owedAnswers += 1
            handle(.eventsDelivered)
        }
    }

    /// Ends the process at this instant.
    mutating func kill() {
        owedAnswers = 0
        // An answer to a call of the process ends with it.
        reports.removeAll { if case .data = $0 { true } else { false } }
        // The ends of its runs are not reported; the next process reports that they were interrupted.
        for id in list.keys where list[id]?.hasRun == true { list[id]?.runs -= 1 }
        launch()
    }

    mutating func handle(_ event: Machine.Event) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            for effect in machine.handle(event, using: &random) {
                if let next = carryOut(effect) { events.append(next) }
            }
        }
        if isOpen { check() }
    }

    private mutating func carryOut(_ effect: Machine.Effect) -> Machine.Event? {
        switch effect {
        case .start(let id, let source, let fromData, _):
            if fromData, resumeData[id] != source { faults.append("no resume data of \(source) for \(id)") }
            if !isQuiet, chance(1, of: 12) { return .notStarted(id, DownloadError(.internal, "refused")) }
            let task = SystemTaskID(rawValue: nextTask)
            nextTask += 1
            tasks[task] = SystemWork(
                label: SessionLabel(download: id, source: source), received: fromData ? Self.size / 2 : 0)
            return .started(id, task)
        case .cancel(let task):
            guard let label = tasks.removeValue(forKey: task)?.label else { return nil }
            reports.append(.failure(task, label, hasData: chance(1, of: 3)))
        case .cancelKeeping(let task):
            let hasData = chance(3, of: 4)
            let label = tasks.removeValue(forKey: task)?.label
            // Both are reported, in any order.
            reports.append(.data(task, isThere: label != nil && hasData))
            if let label { reports.append(.failure(task, label, hasData: hasData && chance(1, of: 2))) }
        case .storeResumeData(let id, let source): resumeData[id] = source
        case .dropResumeData(let id): resumeData[id] = nil
        case .dropFile(let id): files[id] = nil
        case .check(let id):
            if list[id]?.isChecking == true { faults.append("\(id) is verified twice at once") }
            list[id]?.isChecking = true
        case .stopCheck(let id): pendingStops.insert(id)
        case .report(let id, _, _), .reportWait(let id, _, _, _):
            if list[id]?.hasRun != true { faults.append("progress of \(id) outside of a run") }
        case .end(let id, let end): ended(id, end)
        case .answer:
            owedAnswers -= 1
            if owedAnswers < 0 { faults.append("the daemon got an answer that it did not wait for") }
        }
        return nil
    }

    private mutating func ended(_ id: DownloadID, _ end: Machine.RunEnd) {
        if list[id]?.hasRun != true { faults.append("a second end of \(id): \(end)") }
        list[id]?.hasRun = false
        list[id]?.ends += 1
        if end == .finished { list[id]?.want = .finished }
    }

    // MARK: - Invariants

    private mutating func check() {
        for (id, listed) in list {
            let own = tasks.filter { $0.value.label.download == id }
            if own.count > 1 { faults.append("\(id) has \(own.count) tasks") }
            if listed.hasRun, let work = own.values.first, work.label.source != name(listed.source) {
                faults.append("\(id) runs with a task of \(work.label.source)")
            }
            if listed.hasRun, !listed.isChecking, !isAwaited(id) {
                faults.append("\(id) runs, and nothing happens: \(machine.work(id))")
            }
            if listed.runs != listed.ends + (listed.hasRun ? 1 : 0) {
                faults.append("\(id): \(listed.runs) runs, \(listed.ends) ends")
            }
            if files[id] != nil, !own.isEmpty { faults.append("\(id) has a file and a task") }
        }
    }

    /// True if the daemon will report something that the run of a download waits for.
    private func isAwaited(_ id: DownloadID) -> Bool {
        switch machine.work(id) {
        case .held(let task):
            tasks[task] != nil
                || reports.contains { report in
                    switch report {
                    case .file(task, _), .success(task, _), .failure(task, _, _): true
                    case .file, .success, .failure, .progress, .data: false
                    }
                }
        case .stopping(let task):
            reports.contains { if case .data(task, _) = $0 { true } else { false } }
        case .none, .starting, .delivered, .checking: false
        }
    }

    // MARK: - Steps

    mutating func step() {
        let id = list.keys.sorted()[Int.random(in: 0..<list.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<18: run(id)
        case 18..<24: stop(id)
        case 24..<27: discard(id)
        case 27..<30: replaceSource(id)
        case 30..<33: kill()
        case 33..<36: close()
        case 36..<38: retry(id)
        case 38..<65: work()
        case 65..<70: finishCheck(id)
        default: deliver()
        }
    }

    mutating func run(_ id: DownloadID) {
        guard let listed = list[id], listed.want == .wanted, !listed.hasRun else { return }
        list[id]?.hasRun = true
        list[id]?.runs += 1
        handle(
            .run(id, source: name(listed.source), Self.policy, mayBePublished: listed.published == listed.source))
    }

    mutating func stop(_ id: DownloadID) {
        guard list[id]?.want == .wanted else { return }
        list[id]?.want = .paused
        handle(.stop(id, leavesTask: false))
    }

    private mutating func discard(_ id: DownloadID) {
        guard list[id]?.want == .paused, list[id]?.hasRun == false else { return }
        list[id]?.want = .discarded
        handle(.discard(id))
    }

    private mutating func retry(_ id: DownloadID) {
        guard let want = list[id]?.want, want != .wanted, list[id]?.hasRun == false else { return }
        list[id]?.want = .wanted
        list[id]?.published = nil
    }

    private mutating func replaceSource(_ id: DownloadID) {
        guard list[id]?.hasRun == false, list[id]?.want != .finished else { return }
        list[id]?.source += 1
    }

    /// Closes the manager and opens it again.
    private mutating func close() {
        for id in list.keys.sorted() where list[id]?.hasRun == true { handle(.stop(id, leavesTask: true)) }
        for id in list.keys.sorted() { finishCheck(id) }
        for id in list.keys where list[id]?.hasRun == true { faults.append("\(id) runs after the end of its manager") }
        owedAnswers = 0
        launch()
    }

    /// The daemon transfers something.
    mutating func work() {
        let active = tasks.keys.sorted()
        guard !active.isEmpty else { return }
        let task = active[Int.random(in: 0..<active.count, using: &random)]
        guard let label = tasks[task]?.label else { return }
        let fails = !isQuiet && chance(1, of: 6)
        if fails {
            tasks[task] = nil
            return reports.append(.failure(task, label, hasData: chance(1, of: 2)))
        }
        tasks[task]?.received += 1
        let received = tasks[task]?.received ?? 0
        reports.append(.progress(task, label, received))
        if received >= Self.size {
            tasks[task] = nil
            reports.append(.file(task, label))
            reports.append(.success(task, label))
        }
    }

    /// The process gets a report: usually the oldest, sometimes another one, sometimes one twice.
    mutating func deliver() {
        guard !reports.isEmpty else { return }
        let index = chance(1, of: 5) ? Int.random(in: 0..<reports.count, using: &random) : 0
        let report = reports[index]
        if !chance(1, of: 10) || isQuiet { reports.remove(at: index) }
        switch report {
        case .progress(let task, let label, let received):
            handle(.progress(task, label, received: Int64(received), total: Int64(Self.size)))
        case .file(let task, let label): deliverFile(task, label)
        case .success(let task, let label): handle(.completed(task, label, .success, standing(label.download)))
        case .failure(let task, let label, let hasData):
            let error = DownloadError(.connectionFailed, "lost")
            handle(.completed(task, label, .failure(error, hasResumeData: hasData), standing(label.download)))
        case .data(let task, let isThere): handle(.resumeData(task, isThere: isThere))
        }
    }

    private mutating func deliverFile(_ task: SystemTaskID, _ label: SessionLabel) {
        guard machine.takes(task, label, standing(label.download)) else { return }
        if files[label.download] != nil { faults.append("a second file of \(label.download)") }
        guard isQuiet || !chance(1, of: 8) else {
            let error = DownloadError(.badResponse, "too short")
            return handle(.delivered(task, label, .unusable(error, chance(1, of: 2) ? .never : .after(seconds: 1))))
        }
        files[label.download] = label.source
        handle(.delivered(task, label, .kept))
    }

    /// The verification of a file ends.
    mutating func finishCheck(_ id: DownloadID) {
        guard let listed = list[id], listed.isChecking else { return }
        list[id]?.isChecking = false
        let wasStopped = pendingStops.remove(id) != nil
        let source = files[id]
        if listed.published == listed.source { return handle(.checked(id, .finished)) }
        guard let source else { return handle(.checked(id, wasStopped ? .stopped : .missing)) }
        if source != name(listed.source) { faults.append("a file of \(source) is verified for \(name(listed.source))") }
        if wasStopped, chance(2, of: 3) { return handle(.checked(id, .stopped)) }
        if !isQuiet, chance(1, of: 4) {
            let code: DownloadError.Code = chance(1, of: 2) ? .noSpace : .checksumMismatch
            return handle(.checked(id, .failed(DownloadError(code, "failed"))))
        }
        list[id]?.published = listed.source
        // Killed after the file has its name, before that is recorded.
        if !isQuiet, chance(1, of: 6) { return kill() }
        handle(.checked(id, .finished))
    }

    // MARK: - The end

    /// Everything is wanted, nothing fails: then every download finishes, and nothing is left.
    mutating func settle() {
        isQuiet = true
        for id in list.keys where list[id]?.want != .finished { list[id]?.want = .wanted }
        for _ in 0..<400 {
            for id in list.keys.sorted() { run(id) }
            for id in list.keys.sorted() { finishCheck(id) }
            work()
            deliver()
        }
        for (id, listed) in list {
            if listed.want != .finished { faults.append("\(id) never finishes: \(machine.work(id))") }
            if listed.published != listed.source { faults.append("\(id) has the file of \(listed.published ?? -1)") }
        }
        if !tasks.isEmpty { faults.append("tasks are left: \(tasks)") }
        if !files.isEmpty { faults.append("files are left: \(files)") }
        if !resumeData.isEmpty { faults.append("resume data are left: \(resumeData)") }
        if owedAnswers != 0 { faults.append("the daemon waits for \(owedAnswers) answers") }
    }
}
