extension SessionMachine {
    /// Returns true if the file of a task is of use, and so is to be moved into the folder.
    ///
    /// Call it before the file is moved, and handle `delivered` afterwards, with nothing else in between.
    package func takes(_ task: SystemTaskID, _ label: SessionLabel, _ standing: Standing) -> Bool {
        guard standing != .gone, !cancelled.contains(task) else { return false }
        guard let entry = entries[label.download] else { return true }
        // A task that the list of tasks did not contain has a complete file: any other task is not needed then.
        return entry.source == label.source && entry.work.lacksFile
    }

    /// Handles an event.
    package mutating func handle(_ event: Event, using random: inout some RandomNumberGenerator) -> [Effect] {
        var effects: [Effect]
        switch event {
        case .opened(let tasks, let standings): effects = opened(tasks, standings)
        case .run(let id, let source, let policy, let mayBePublished):
            effects = run(id, source, policy, mayBePublished: mayBePublished)
        case .stop(let id, let leavesTask): effects = stop(id, leavesTask: leavesTask)
        case .started(let id, let task): effects = started(id, task)
        case .notStarted(let id, let error): effects = notStarted(id, error)
        case .progress(let task, let label, let received, let total):
            effects = progress(task, label, received: received, total: total)
        case .delivered(let task, let label, let delivery): effects = delivered(task, label, delivery, using: &random)
        case .completed(let task, let label, let completion, let standing):
            effects = completed(task, label, completion, standing, using: &random)
        case .resumeData(let task, let isThere): effects = resumeData(task, isThere: isThere)
        case .checked(let id, let end): effects = checked(id, end)
        case .discard(let id): effects = discard(id)
        case .eventsDelivered:
            owesAnswer = true
            effects = []
        }
        // A process in the background may be suspended once it has answered.
        if owesAnswer, isOpened, !entries.values.contains(where: \.work.isChecking) {
            owesAnswer = false
            effects.append(.answer)
        }
        return effects
    }

    // MARK: - Launch

    private mutating func opened(_ tasks: [HeldTask], _ standings: [DownloadID: Standing]) -> [Effect] {
        isOpened = true
        var effects: [Effect] = []
        for id in entries.keys.sorted() where standings[id] ?? .gone == .gone { effects += discard(id) }
        for id in surplusResumeData.sorted() { effects.append(.dropResumeData(id)) }
        surplusResumeData = []
        // The first one that is found for a download is kept: the one with the most bytes.
        for task in tasks.sorted(by: { ($0.received, $1.id) > ($1.received, $0.id) })
        where !endedEarly.contains(task.id) && !cancelled.contains(task.id) {
            effects += found(task, standings)
        }
        endedEarly = []
        return effects
    }

    private mutating func found(_ task: HeldTask, _ standings: [DownloadID: Standing]) -> [Effect] {
        guard let label = task.label, let standing = standings[label.download], standing != .gone else {
            return cancel(task.id)
        }
        var entry = entries[label.download] ?? Entry(source: label.source)
        guard entry.source == label.source, entry.work == .none else { return cancel(task.id) }
        var effects: [Effect] = []
        if entry.hasResumeData {
            // Those that the task was created from.
            entry.hasResumeData = false
            effects.append(.dropResumeData(label.download))
        }
        if standing == .wanted {
            entry.work = .held(task.id)
        } else {
            entry.work = .stopping(task.id)
            effects.append(.cancelKeeping(task.id))
        }
        entries[label.download] = entry
        return effects
    }

    // MARK: - The manager

    private mutating func run(
        _ id: DownloadID, _ source: String, _ policy: RetryPolicy, mayBePublished: Bool
    ) -> [Effect] {
        var effects: [Effect] = []
        if let entry = entries[id], entry.source != source { effects += discard(id) }
        var entry = entries[id] ?? Entry(source: source)
        entry.run = Run(policy: policy)
        switch entry.work {
        case .none where mayBePublished:
            entry.work = .checking(hasFile: false)
            effects.append(.check(id))
        case .none: effects.append(begin(id, &entry))
        case .delivered:
            entry.work = .checking(hasFile: true)
            effects.append(.check(id))
        // The task continues, or its resume data are to come.
        case .held, .stopping, .starting, .checking: break
        }
        entries[id] = entry
        return effects
    }

    private mutating func stop(_ id: DownloadID, leavesTask: Bool) -> [Effect] {
        guard var entry = entries[id], entry.run != nil else { return [] }
        defer { entries[id] = entry }
        entry.run?.isStopping = true
        switch entry.work {
        case .held(let task) where !leavesTask:
            entry.work = .stopping(task)
            return [.cancelKeeping(task)]
        case .stopping where !leavesTask: return []
        // The file stays, and is verified by the next run.
        case .checking: return [.stopCheck(id)]
        case .none, .starting, .held, .stopping, .delivered:
            entry.run = nil
            return [.end(id, .stopped)]
        }
    }

    private mutating func discard(_ id: DownloadID) -> [Effect] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        var effects: [Effect] = []
        switch entry.work {
        case .none, .starting: break
        case .held(let task), .stopping(let task): effects += cancel(task)
        case .delivered, .checking: effects.append(.dropFile(id))
        }
        if entry.hasResumeData { effects.append(.dropResumeData(id)) }
        if entry.run != nil { effects.append(.end(id, .stopped)) }
        return effects
    }

    private mutating func cancel(_ task: SystemTaskID) -> [Effect] {
        cancelled.insert(task)
        return [.cancel(task)]
    }

    /// Creates a task.
    private func begin(_ id: DownloadID, _ entry: inout Entry, after delay: Duration = .zero) -> Effect {
        entry.work = .starting
        let received = entry.run?.received ?? 0
        entry.run?.attemptBegan = received
        return .start(id, source: entry.source, fromResumeData: entry.hasResumeData, after: delay)
    }

    private mutating func started(_ id: DownloadID, _ task: SystemTaskID) -> [Effect] {
        // The system may use a number again.
        cancelled.remove(task)
        guard var entry = entries[id], entry.work == .starting else { return cancel(task) }
        defer { entries[id] = entry }
        entry.work = .held(task)
        guard entry.hasResumeData else { return [] }
        // From now on, the task has them.
        entry.hasResumeData = false
        return [.dropResumeData(id)]
    }

    private mutating func notStarted(_ id: DownloadID, _ error: DownloadError) -> [Effect] {
        guard var entry = entries[id], entry.work == .starting else { return [] }
        defer { entries[id] = entry }
        if entry.hasResumeData {
            entry.hasResumeData = false
            return [.dropResumeData(id), begin(id, &entry)]
        }
        entry.work = .none
        entry.run = nil
        return [.end(id, .failed(error))]
    }

    private mutating func checked(_ id: DownloadID, _ end: CheckEnd) -> [Effect] {
        guard var entry = entries[id], case .checking(let hasFile) = entry.work else { return [] }
        let isStopping = entry.run?.isStopping ?? true
        let drop: [Effect] = hasFile ? [.dropFile(id)] : []
        var effects: [Effect] = []
        switch end {
        case .finished:
            (entry.work, entry.run) = (.none, nil)
            // In this order: if the process is killed in between, the next one finds the file published.
            effects = [.end(id, .finished)] + drop
        case .stopped:
            (entry.work, entry.run) = (hasFile ? .delivered : .none, nil)
            effects = [.end(id, .stopped)]
        case .missing where isStopping:
            (entry.work, entry.run) = (.none, nil)
            effects = drop + [.end(id, .stopped)]
        case .missing: effects = drop + [begin(id, &entry)]
        case .failed(let error) where error.code.leavesDeliveredFile:
            (entry.work, entry.run) = (hasFile ? .delivered : .none, nil)
            effects = [.end(id, .failed(error))]
        case .failed(let error):
            (entry.work, entry.run) = (.none, nil)
            effects = drop + [.end(id, .failed(error))]
        }
        entries[id] = entry
        forgetIfEmpty(id)
        return effects
    }

    // MARK: - The system

    private mutating func progress(
        _ task: SystemTaskID, _ label: SessionLabel, received: Int64, total: Int64?
    ) -> [Effect] {
        guard entries[label.download]?.work == .held(task), let run = entries[label.download]?.run, !run.isStopping
        else { return [] }
        entries[label.download]?.run?.received = received
        return [.report(label.download, received: received, total: total)]
    }

    private mutating func delivered(
        _ task: SystemTaskID, _ label: SessionLabel, _ delivery: Delivery,
        using random: inout some RandomNumberGenerator
    ) -> [Effect] {
        if !isOpened { endedEarly.insert(task) }
        let id = label.download
        var entry = entries[id] ?? Entry(source: label.source)
        guard entry.source == label.source, entry.work.lacksFile else { return [] }
        var effects: [Effect] = []
        let isCurrent = entry.work.task == task
        switch delivery {
        case .kept:
            // What another task would deliver is here already.
            if let other = entry.work.task, !isCurrent { effects += cancel(other) }
            if entry.hasResumeData { effects.append(.dropResumeData(id)) }
            entry.hasResumeData = false
            entry.work = .delivered
            if entry.run?.isStopping == true {
                entry.run = nil
                effects.append(.end(id, .stopped))
            } else if entry.run != nil {
                entry.work = .checking(hasFile: true)
                effects.append(.check(id))
            }
        case .unusable(let error, let again):
            guard isCurrent else { return [] }
            effects += attemptFailed(id, &entry, error, again, using: &random)
        }
        entries[id] = entry
        forgetIfEmpty(id)
        return effects
    }

    private mutating func completed(
        _ task: SystemTaskID, _ label: SessionLabel, _ completion: Completion, _ standing: Standing,
        using random: inout some RandomNumberGenerator
    ) -> [Effect] {
        if !isOpened { endedEarly.insert(task) }
        guard !cancelled.contains(task), standing != .gone else { return [] }
        let id = label.download
        var entry = entries[id] ?? Entry(source: label.source)
        guard entry.source == label.source else { return [] }
        defer {
            entries[id] = entry
            forgetIfEmpty(id)
        }
        var effects: [Effect] = []
        func takeResumeData() {
            guard case .failure(_, hasResumeData: true) = completion else { return }
            entry.hasResumeData = true
            effects.append(.storeResumeData(id, source: entry.source))
        }
        switch entry.work {
        case .held(task):
            takeResumeData()
            let error =
                switch completion {
                case .success: DownloadError(.badResponse, "the system has ended the transfer without a file")
                case .failure(let error, _): error
                }
            effects += attemptFailed(id, &entry, error, .after(seconds: 0), using: &random)
        case .stopping(task):
            takeResumeData()
            // Without them, they come by `resumeData`.
            if entry.hasResumeData || completion == .success { effects += stopped(id, &entry) }
        // A task that failed while the process did not run, and that the list of tasks did not contain.
        case .none where entry.run == nil && !entry.hasResumeData: takeResumeData()
        case .none, .starting, .held, .stopping, .delivered, .checking: break
        }
        return effects
    }

    private mutating func resumeData(_ task: SystemTaskID, isThere: Bool) -> [Effect] {
        guard let (id, found) = entries.first(where: { $0.value.work == .stopping(task) }) else { return [] }
        var entry = found
        var effects: [Effect] = []
        if isThere {
            entry.hasResumeData = true
            effects.append(.storeResumeData(id, source: entry.source))
        }
        effects += stopped(id, &entry)
        entries[id] = entry
        forgetIfEmpty(id)
        return effects
    }

    /// Continues after a task has stopped: a run that has begun meanwhile continues from its data.
    private func stopped(_ id: DownloadID, _ entry: inout Entry) -> [Effect] {
        entry.work = .none
        guard let run = entry.run else { return [] }
        guard run.isStopping else { return [begin(id, &entry)] }
        entry.run = nil
        return [.end(id, .stopped)]
    }

    /// Continues after the failure of an attempt: with the next one after a wait, or with the end of the run.
    private func attemptFailed(
        _ id: DownloadID, _ entry: inout Entry, _ error: DownloadError, _ again: DeliveryVerdict.Again,
        using random: inout some RandomNumberGenerator
    ) -> [Effect] {
        let wasStopping = if case .stopping = entry.work { true } else { false }
        entry.work = .none
        guard var run = entry.run else { return [] }
        if wasStopping || run.isStopping {
            entry.run = nil
            return [.end(id, .stopped)]
        }
        if RetryPolicy.isProgress(run.received - run.attemptBegan, of: nil) { run.attempts = 0 }
        run.attempts += 1
        guard case .after(let seconds) = again, let delay = run.policy.delay(attempt: run.attempts, using: &random)
        else {
            entry.run = nil
            return [.end(id, .failed(error))]
        }
        let wait = max(delay, .seconds(min(seconds, RetryAfter.maxBackoff)))
        entry.run = run
        return [.reportWait(id, error, attempt: run.attempts, wait), begin(id, &entry, after: wait)]
    }

    /// Forgets a download that there is nothing of.
    private mutating func forgetIfEmpty(_ id: DownloadID) {
        guard let entry = entries[id], entry.work == .none, !entry.hasResumeData, entry.run == nil else { return }
        entries[id] = nil
    }
}

extension SessionMachine.Work {
    /// The task that something is expected of.
    package var task: SystemTaskID? {
        switch self {
        case .held(let task), .stopping(let task): task
        case .none, .starting, .delivered, .checking: nil
        }
    }

    /// True if a file is of use.
    var lacksFile: Bool {
        switch self {
        case .none, .starting, .held, .stopping: true
        case .delivered, .checking: false
        }
    }

    var isChecking: Bool {
        if case .checking = self { true } else { false }
    }
}

extension DownloadError.Code {
    /// True if a failure is not that of the delivered file, which is used again later.
    var leavesDeliveredFile: Bool {
        switch self {
        case .noSpace, .fileFailed, .tooManyFiles, .destinationExists, .destinationBusy, .cancelled, .internal,
            .notPossible, .catalogueBusy, .catalogueFailed, .nameNotResolved, .connectionFailed, .timedOut, .tlsFailed,
            .invalidRequest:
            true
        case .notFound, .notAuthorized, .linkExpired, .serverBusy, .unexpectedStatus, .redirectRefused, .badResponse,
            .contentEncoded, .sourceChanged, .checksumMismatch, .noSuchDownload:
            false
        }
    }
}
