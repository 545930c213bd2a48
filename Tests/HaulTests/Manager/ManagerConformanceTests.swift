import Haul
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Conformance of the manager in this process", .usesSockets)
struct ManagerConformanceTests {
    @Test(arguments: ManagerConformance.checks)
    func conforms(_ check: ManagerConformance.Check) async throws {
        try await check.run { resources, body in
            try await ManagerTrial.run(resources) { harness in
                try await body(
                    ManagerConformanceSite(
                        manager: try harness.manager, server: harness.server, folder: harness.folder.path))
            }
        }
    }
}
