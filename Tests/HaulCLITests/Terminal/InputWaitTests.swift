import Dispatch
import HaulCore
import HaulLibC
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Waiting for input")
struct InputWaitTests {
    @Test("a wait that takes long is reported")
    func report() async {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let wait = InputWait(after: .milliseconds(1)) { report.yield($0) }
        wait.begin(for: "http://h/a")
        var iterator = reports.makeAsyncIterator()
        #expect(await iterator.next() == "waiting for http://h/a")
        // It can be cancelled.
        #expect(!wait.isBlocked)
    }

    @Test("only a pipe or standard input may block")
    func pipes() throws {
        let folder = try TemporaryFolder()
        try folder.put([1], "file")
        let (file, pipe) = (folder.path + "/file", folder.path + "/pipe")
        // Unsafe: the path is read up to its NUL.
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let wait = InputWait()
        wait.begin(reading: [file, nil, folder.path, folder.path + "/missing"])
        #expect(!wait.isBlocked)
        for paths in [[file, pipe], ["-"]] {
            wait.begin(reading: paths)
            #expect(wait.isBlocked)
            wait.end()
        }
        #expect(!wait.isBlocked)
        let isBlocked = try wait.reading([pipe]) { wait.isBlocked }
        #expect(isBlocked && !wait.isBlocked)
        #expect(throws: DownloadError.self) {
            try wait.reading([pipe]) { () throws(DownloadError) -> Int in throw DownloadError(.invalidRequest, "") }
        }
        #expect(!wait.isBlocked)
    }

    @Test("the report names the pipes")
    func text() {
        #expect(InputWait.text([]) == nil)
        #expect(InputWait.text(["a"]) == "waiting for data from a, which is a pipe")
        #expect(
            InputWait.text(["a", "-"])
                == "waiting for data from a, which is a pipe, or from standard input")
    }
}
