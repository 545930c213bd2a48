import GRDB
import Testing

@testable import HaulStore

@Suite struct CatalogueFailureTests {
    /// SQLite reports a full disk as an I/O error in some places.
    @Test func anIOErrorOnAFullDiskAsksForSpace() {
        let error = DatabaseError(resultCode: .SQLITE_IOERR_WRITE, message: "disk I/O error")
        let full = CatalogueFailure.sentence(for: error, "/l", isFull: { true })
        #expect(full == "not enough disk space for the list /l: free some space, then try again")
        let other = CatalogueFailure.sentence(for: error, "/l", isFull: { false })
        #expect(other == "disk error in the catalogue /l: check the disk")
        // A log that can't be created.
        let closed = DatabaseError(resultCode: .SQLITE_CANTOPEN)
        #expect(CatalogueFailure.sentence(for: closed, "/l", isFull: { true }) == full)
        #expect(CatalogueFailure.sentence(for: closed, "/l", isFull: { false }).contains("can't open"))
        // Any other error is not explained by the space.
        let corrupt = DatabaseError(resultCode: .SQLITE_CORRUPT)
        #expect(CatalogueFailure.sentence(for: corrupt, "/l", isFull: { true }).contains("is corrupt"))
    }
}
