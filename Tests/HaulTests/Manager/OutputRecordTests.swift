import Haul
import HaulCore
import HaulEngine
import HaulTestTraits
import Testing

@testable import HaulLocal

@Suite("The output of a run", .usesSockets)
struct OutputRecordTests {
    private static let output = RunOutput(path: "/f", totalBytes: 7, file: FileIdentity(device: 1, inode: 2))
    private static let id = DownloadID(rawValue: 1)

    @Test("a run does not wait for what is recorded", arguments: [true, false])
    func recorded(blocks: Bool) async {
        let (mailbox, placed) = (Mailbox<ManagerMessage>(), OutputRecord())
        placed.set(Self.output)
        if blocks {
            mailbox.recordBlocking(Self.output, of: Self.id, placed)
        } else {
            await mailbox.record(Self.output, of: Self.id, placed)
        }
        mailbox.post(.wake)
        #expect(await mailbox.next().count == 1)
    }

    @Test("a run waits until what is new is recorded", arguments: [true, false], [nil, 6] as [Int64?])
    func new(blocks: Bool, total: Int64?) async {
        let (mailbox, placed) = (Mailbox<ManagerMessage>(), OutputRecord())
        placed.set(RunOutput(path: "/f", totalBytes: total, file: Self.output.file))
        let run = Task {
            if blocks {
                await BlockingQueue(label: "test").run { mailbox.recordBlocking(Self.output, of: Self.id, placed) }
            } else {
                await mailbox.record(Self.output, of: Self.id, placed)
            }
        }
        guard case .naming(let id, let output, let waiter)? = await mailbox.next().first else {
            Issue.record("the run asked for nothing")
            return
        }
        #expect(id == Self.id && output == Self.output)
        waiter.resume()
        await run.value
    }
}
