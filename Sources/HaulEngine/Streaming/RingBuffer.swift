/// A buffer that holds the byte with offset `n` of a file at `n` modulo the capacity.
///
/// It belongs to a `StreamWindow`, whose bookkeeping ensures that no two calls access the same bytes at the same time:
/// each connection writes a range of its own, and bytes are read only after they were written and before they are
/// overwritten. Unchecked because the compiler can't see that.
@safe final class RingBuffer: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// Allocates the memory; pages that are never written cost nothing.
    init(capacity: Int) {
        // Unsafe: freed in `deinit`, never before.
        unsafe memory = .allocate(byteCount: max(1, capacity), alignment: 4096)
    }

    deinit { unsafe memory.deallocate() }

    /// Copies bytes, at most `capacity`, to the place of those from `offset` on.
    func put(_ bytes: RawSpan, at offset: Int64) {
        // Unsafe: both parts lie within the memory, since `split` cuts at its end, and the span is valid for the call.
        unsafe bytes.withUnsafeBytes { source in
            let (start, first) = split(offset, source.count)
            unsafe memory[start..<(start + first)].copyBytes(from: source.prefix(first))
            unsafe memory[0..<(source.count - first)].copyBytes(from: source.dropFirst(first))
        }
    }

    /// Returns a copy of the bytes from `offset` on.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        let (start, first) = split(offset, count)
        // Unsafe: as in `put`; the array is initialised to its whole count.
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            let target = UnsafeMutableRawBufferPointer(target)
            unsafe target[0..<first].copyBytes(from: memory[start..<(start + first)])
            unsafe target[first..<count].copyBytes(from: memory[0..<(count - first)])
            initialized = count
        }
    }

    private func split(_ offset: Int64, _ count: Int) -> (start: Int, first: Int) {
        // Safe: only the size is read.
        let capacity = unsafe memory.count
        let start = Int(offset % Int64(capacity))
        return (start, min(count, capacity - start))
    }
}
