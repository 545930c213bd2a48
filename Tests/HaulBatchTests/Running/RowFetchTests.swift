import HaulCore
import Testing

@testable import HaulBatchRun

@Suite struct RowFetchTests {
    @Test(arguments: [
        (PauseLimit.wait(.seconds(60)), "longer than the 60 s allowed: to wait for it, add --max-wait SECONDS"),
        (.time(.seconds(60)), "longer than the row may take (60 s): to wait for it, add --row-deadline SECONDS"),
        (.retries(0), "after one attempt: for more, add --retries NUMBER"),
        (.retries(2), "after 3 attempts: for more, add --retries NUMBER"),
    ])
    func `a pause that is not made is reported with the limit of the row, not with that of the engine`(
        limit: PauseLimit, words: String
    ) {
        let error = DownloadError.longWait(503, 300, limit.words)
        #expect(
            error.message == "the server returned 503 Service Unavailable and asks to wait 300 s (5 min), \(words)")
        #expect((error.code, error.detail, error.status) == (.serverBusy, .longWait, 503))
    }
}
