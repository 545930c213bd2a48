import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Requests with a body in a list", .usesSockets)
struct RequestBodyListTests {
    private static let file = Resource.file(seed: 72, size: 1_000_000)

    private func post(_ harness: ManagerTrial, _ body: String, _ name: String = "f") -> DownloadSpec {
        harness.spec("/f", name) { $0.body = DownloadSpec.RequestBody(body) }
    }

    @Test("are the same download only with the same body")
    func keys() async throws {
        try await ManagerTrial.run([
            "/f": Self.file.script { .status(200, body: String(decoding: $0.body, as: UTF8.self)) }
        ]) {
            harness in
            let manager = try harness.manager
            let one = try await manager.add(post(harness, "one"))
            _ = try await one.finished()
            #expect(harness.bytes("f") == Array("one".utf8))
            #expect(try await manager.add(post(harness, "one")) == one)
            let two = try await manager.add(
                harness.spec("/f") {
                    ($0.body, $0.onConflict) = (DownloadSpec.RequestBody("two"), .replace)
                })
            _ = try await two.finished()
            #expect(two != one && harness.bytes("f") == Array("two".utf8))
        }
    }

    @Test("store no body: after a relaunch it is asked for, and given by adding the download again")
    func relaunch() async throws {
        let resource = Self.file.script { facts in
            guard String(decoding: facts.body, as: UTF8.self) == "hunter1",
                facts.header("Authorization") == "Basic bWU6aHVudGVyMQ=="
            else { return .status(401) }
            return facts.number == 1 ? .stall(after: 600_000) : .normal
        }
        try await ManagerTrial.run(["/f": resource]) { harness in
            var spec = post(harness, "hunter1")
            (spec.user, spec.password, spec.authentication) = ("me", .text("hunter1"), .basic)
            let id = try await harness.manager.add(spec).id
            try await harness.manager.download(id)?.until(bytes: 500_000)
            #expect(!"\(try await harness.manager.snapshot(id))".contains("hunter1"))
            await harness.close()
            for name in harness.folder.names where name.hasPrefix("list.sqlite") || name.hasSuffix(".haul") {
                #expect(!String(decoding: harness.bytes(name) ?? [], as: UTF8.self).contains("hunter1"), "\(name)")
            }
            let manager = try await harness.launch()
            #expect(try await manager.snapshot(id).state == .waiting(.credentials))
            #expect("\(WaitReason.credentials)" == "headers, password or request body must be given again")
            // Nothing else than the body helps, and the error says how to give it.
            let refusal = await #expect(throws: DownloadError.self) {
                try await manager.replaceSource(id, headers: [DownloadSpec.Header(name: "X-A", value: "1")])
            }
            #expect(
                refusal?.message
                    == "the request body of download \(id) was not stored: add the download again with its body")
            let again = try await manager.add(spec)
            #expect(again.id == id)
            _ = try await again.finished()
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }
}
