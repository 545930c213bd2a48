import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Synchronization
import Testing

@Suite("Bytes beyond the end of a segment")
struct SurplusTests {
    let folder: TemporaryFolder
    let session: Session

    init() throws {
        folder = try TemporaryFolder()
        session = Session(folder: folder)
    }

    @Test("they are compared with the file, as far as it reaches, and forgotten when it is begun again")
    func compared() throws {
        let partial = try session.open(.live)
        _ = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil)
        let bytes = Resource.file(seed: 3, size: 2000).allBytes
        /// Safe: a UInt8 has no padding.
        func keep(_ bytes: [UInt8], at offset: Int64) { partial.keepSurplus(unsafe bytes.span.bytes, at: offset) }
        try partial.write(unsafe bytes.span.bytes, at: 0)
        keep(Array(bytes[100..<1900]), at: 100)
        keep([], at: 100)
        keep(bytes[1900...] + [1, 2], at: 1900)
        keep([9], at: 2000)
        #expect(try partial.agreesWithSurplus(total: 2000))
        keep(Array(bytes[101..<200]), at: 100)
        #expect(try !partial.agreesWithSurplus(total: 2000))
        _ = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil)
        #expect(try partial.agreesWithSurplus(total: 2000))
    }

    @Test("bytes that responses disagree about are kept, as unproven ones, and also if the disk is full")
    func distrusted() throws {
        let isFull = Atomic(false)
        // On a full disk no file can be created, but existing blocks can be written.
        let first = try session.open(
            SystemCalls(hook: { call in
                isFull.load(ordering: .relaxed) && [.open, .rename].contains(call.kind) ? .fail(ENOSPC) : .proceed
            }))
        let slots = try session.start(first)
        try session.fill(first, slots, limit: 6)
        isFull.store(true, ordering: .relaxed)
        try first.distrust()
        first.close()
        guard case .resumable(let state) = try session.open(.live).found else {
            throw DownloadError(.internal, "nothing found")
        }
        #expect(state.provenance == .unproven && state.fileBytes > 0 && session.wrongBytes(state) == 0)
    }
}
