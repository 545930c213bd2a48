import HaulCore

/// The factors that limited a run, for programs.
struct WhyJSON: Encodable {
    private let process: Int32
    private let running: Bool
    private let seconds: Double
    private let jobs: Int
    private let busySeconds: Double
    private let others: GetRecord.Others
    private let downloads: [Download]

    private struct Download: Encodable {
        let id: Int
        let name: String
        let factors: [Factor]
        let record: TransferRecord
    }

    private struct Factor: Encodable {
        let cause: LimitingFactor.Cause
        let share: Double
        let sentence: String
    }

    init(_ record: GetRecord, isRunning: Bool) {
        process = record.process
        running = isRunning
        seconds = record.seconds
        jobs = record.jobs
        busySeconds = record.busySeconds
        others = record.others
        downloads = record.downloads.map { entry in
            let factors = Explanation(entry.record).factors.map {
                Factor(cause: $0.cause, share: $0.share, sentence: $0.description)
            }
            return Download(id: entry.id, name: entry.name, factors: factors, record: entry.record)
        }
    }
}
