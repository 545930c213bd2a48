import HaulCore
import Synchronization
import Testing

@testable import HaulLocal

@Suite struct FolderRuleTests {
    /// A folder that is exchanged with a link to elsewhere, and back.
    @Test func eachFolderIsAskedOnce() {
        let asked = Mutex<[String]>([])
        let rule = FolderRule { folder in
            asked.withLock { asked in
                defer { asked.append(folder) }
                return folder == "/b" && !asked.contains("/b") ? DownloadError(.invalidRequest, "outside") : nil
            }
        }
        #expect(rule.refusal(of: ["/a", "/b", "/c"])?.code == .invalidRequest)
        #expect(asked.withLock { $0 } == ["/a", "/b"])
        #expect(rule.refusal(of: ["/a", "/b", "/c"]) == nil)
    }
}
