import Foundation
import Haul
import HaulCore
import HaulStore
import HaulTesting
import Testing

@testable import HaulLocal

/// What must hold whatever has happened.
extension ModelWorld {
    /// Between two processes: what the catalogue, the events and the folder say must be one story.
    func inspect(afterKill: Bool, lenient: Bool) throws {
        let catalogue = try Catalogue.open(.file(path: trial.path("list.sqlite")))
        defer { catalogue.close() }
        let log = try catalogue.events(after: 0, limit: .max)
        if program == nil { #expect(received == log, name) } else { try expectHeard(log) }
        for event in log where event.number > ledger.last { ledger.receive(event) }
        for fault in ledger.faults { Issue.record("\(fault) \(name)") }
        // The next launch tells the ends of runs that were killed.
        if !afterKill { #expect(ledger.open.isEmpty, "runs without an end; \(name)") }
        let records = try catalogue.page(.all, limit: 100)
        #expect(Set(records.map(\.id)) == ledger.present, name)
        for record in records where !ledger.agrees(record) {
            // A kill between a command and the end of its run: the next launch makes up for the event.
            if !lenient {
                let said = ledger.standings[record.id].map { "\($0)" } ?? "nothing"
                Issue.record("\(record.id) is stored as \(record.status), its events say \(said); \(name)")
            }
        }
        for record in records {
            guard let facts = record.finish, !lenient else { continue }
            #expect(size(facts.path) == facts.totalBytes, "\(facts.path); \(name)")
        }
        expectRightFiles()
    }

    /// Nothing stands under a final name but a file that was served as a whole (guarantees: one version, final name last).
    func expectRightFiles() {
        for slot in 0..<ModelStep.slots {
            guard let bytes = FileManager.default.contents(atPath: trial.path("f\(slot)")) else { continue }
            let isRight = ModelSite.served(bytes, slot)
            #expect(isRight, "f\(slot) is no file that was served; \(name)")
        }
    }

    private func size(_ path: String) -> Int64? {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        return size?.int64Value
    }

    /// After the end of a process: no descriptor, no task, no object of it is left.
    func expectNothingHeld(_ isGone: () -> Bool) async throws {
        let held = try Descriptors.paths(in: trial.folder.path)
        #expect(held.isEmpty, "\(held); \(name)")
        // A task gives back what it holds shortly after whoever waits for it has its value.
        for _ in 0..<10_000 where !isGone() { await Task.yield() }
        #expect(isGone(), "something still holds the manager; \(name)")
    }

    /// The summary says what the snapshots say.
    func expectRightCounts() async throws {
        let (summary, snapshots) =
            if let program {
                // Two requests: nothing changes between them, as nothing is at work.
                (try await program.manager.summary(), try await program.manager.snapshots())
            } else { try await #require(trial.manager.local).summaryAndSnapshots() }
        let kinds = Dictionary(grouping: snapshots, by: \.state.kind).mapValues(\.count)
        #expect(summary.counts == kinds, name)
    }
}

extension LocalManager {
    /// True if files of a download are being removed.
    var isCleaning: Bool { live.values.contains { $0.cleanup != nil } }

    /// Both, of the same instant.
    func summaryAndSnapshots() throws -> (DownloadSummary, [DownloadSnapshot]) {
        (summary(), try snapshots(.all, after: nil, limit: 100, isReversed: false))
    }
}

/// The open descriptors of this process.
enum Descriptors {
    /// The paths in a folder to which some lead, where the system tells.
    static func paths(in folder: String) throws -> [String] {
        let list = "/proc/self/fd"
        return ((try? FileManager.default.contentsOfDirectory(atPath: list)) ?? []).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(list)/\($0)")
        }
        .filter { $0.hasPrefix(folder + "/") }
    }
}
