import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Attributes of finished files", .usesSockets)
struct FileAttributeTests {
    @Test("what the system does not have is accepted, has no effect, and is missing among the capabilities")
    func accepted() async throws {
        let file = Resource.file(seed: 62, size: 1000)
        try await ManagerTrial.run(["/a": file]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(
                harness.spec("/a") { ($0.protection, $0.isExcludedFromBackup) = (.complete, true) })
            _ = try await download.finished()
            #expect(harness.bytes("a") == file.allBytes)
            let spec = try await download.snapshot.spec
            #expect(spec.protection == .complete && spec.isExcludedFromBackup)
            #if !canImport(Darwin)
                #expect(manager.capabilities.isDisjoint(with: [.fileProtection, .backupExclusion]))
            #endif
        }
    }
}
