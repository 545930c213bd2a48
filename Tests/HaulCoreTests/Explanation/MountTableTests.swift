import HaulCore
import Testing

@Suite("The kernel's list of mounts")
struct MountTableTests {
    private static let table = MountTable(
        """
        23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        31 23 8:17 / /srv/data rw - xfs /dev/sdb1 rw,noquota
        32 23 0:50 / /srv/data/far\\040away rw - nfs4 host:/x rw,hard
        33 23 8:17 /inner /srv/other rw - xfs /dev/sdb1 rw
        a line that is not understood
        34 23 0:60 / /srv/other rw - tmpfs tmpfs rw
        """)

    @Test(
        "a path is on the mount with the longest matching folder, of equal ones on the last",
        arguments: [
            ("/", "8:1"), ("/home/a", "8:1"), ("/srv", "8:1"), ("/srv/database", "8:1"), ("/srv/data", "8:17"),
            ("/srv/data/x", "8:17"), ("/srv/data/far away/x", "0:50"), ("/srv/other/x", "0:60"),
        ])
    func mounts(path: String, device: String) {
        #expect(Self.table.mount(of: path)?.device == device)
    }

    @Test("a relative path is on none, and neither is any path without a list", arguments: ["a/b", ""])
    func nothing(path: String) {
        #expect(Self.table.mount(of: path) == nil)
        #expect(MountTable("").mount(of: "/a") == nil)
    }

    @Test("each line gives device, root, folder, type and options")
    func fields() {
        #expect(Self.table.mounts.map(\.point) == ["/", "/srv/data", "/srv/data/far away", "/srv/other", "/srv/other"])
        #expect(Self.table.mounts[3].root == "/inner")
        #expect(Self.table.mounts[1].type == "xfs" && Self.table.mounts[1].options == ["rw", "noquota"])
    }
}
