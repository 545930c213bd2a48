/// Control files of other programs for a file of three bytes of which nothing has been downloaded.
package enum ControlFiles {
    /// aria2's, version 1: no info hash, pieces of 1 MiB, three bytes, nothing uploaded, one byte of bits, no piece in progress.
    package static let aria2: [UInt8] =
        [0, 1] + zeros(4) + zeros(4) + [0, 0x10, 0, 0] + zeros(7) + [3] + zeros(8) + [0, 0, 0, 1, 0] + zeros(4)

    /// axel's: one connection, nothing done, bytes 0 to 3 missing.
    package static let axel: [UInt8] = [1, 0] + zeros(8) + zeros(8) + [3] + zeros(7)

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
}
