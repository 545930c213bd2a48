import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulEngine

/// A folder that becomes a link to elsewhere while the server is asked.
@Suite(.usesSockets)
struct FolderRefusalTests {
    @Test(arguments: [1_000, 3_000_000] as [Int64], [true, false])
    func nothingIsWrittenInAFolderThatChangedBeforeTheResponse(size: Int64, expectsSmall: Bool) async throws {
        let file = Resource.file(seed: 5, size: size)
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run { harness in
                var options = RunOptions()
                options.expectsSmall = expectsSmall
                options.folderRefusal = { folder in
                    #expect(folder == harness.folder.path)
                    return server.requests("/f").isEmpty ? nil : DownloadError(.invalidRequest, "outside")
                }
                let spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: harness.folder.path))
                #expect(await harness.run(spec, options).code == .invalidRequest)
                #expect(harness.names.isEmpty)
                options.folderRefusal = { _ in nil }
                _ = try await harness.run(spec, options).get()
                #expect(harness.bytes("f") == file.allBytes)
            }
        }
    }
}
