import HaulCore
import HaulFiles
import HaulLibC
import Testing

@Suite("Messages about failed system calls")
struct FileErrorTests {
    @Test(
        "advise what helps: another folder for a new file, but not for one that can't be removed",
        arguments: [
            (
                .open, EACCES,
                "permission denied: can't open /d/f; change its permissions, or choose another folder"
            ),
            (.unlink, EACCES, "permission denied: can't remove /d/f; change the permissions of its folder"),
            (.unlink, EPERM, "permission denied: can't remove /d/f; change the permissions of its folder"),
            (.rename, EROFS, "/d/f is on a read-only file system: choose another folder"),
            (.unlink, EROFS, "can't remove /d/f: its file system is read-only"),
        ] as [(SystemCall.Kind, Int32, String)])
    func advice(operation: SystemCall.Kind, code: Int32, message: String) {
        #expect(FileError(operation, "/d/f", code).downloadError.message == message)
    }
}
