import Haul
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Conformance of the manager in the background", .usesSockets)
struct BackgroundConformanceTests {
    @Test(arguments: ManagerConformance.checks)
    func conforms(_ check: ManagerConformance.Check) async throws {
        try await check.run { resources, body in
            try await ServedTrial.run(resources) { trial in
                try await trial.program { manager in
                    try await body(ManagerConformanceSite(manager: manager, server: trial.server, folder: trial.root))
                }
            }
        }
    }
}
