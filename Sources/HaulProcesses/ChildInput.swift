#if canImport(Subprocess)
    import CHaulSystem
    import HaulLibC

    #if canImport(System)
        import System
    #else
        import SystemPackage
    #endif

    /// An unnamed file from which a child process reads its standard input.
    enum ChildInput {
        /// Opens such a file with these bytes in it, ready to be read from the start; close-on-exec.
        ///
        /// - Throws: `Errno`.
        static func open(holding bytes: [UInt8]) throws -> FileDescriptor {
            let file = try nameless()
            do {
                try file.writeAll(bytes)
                try file.seek(offset: 0, from: .start)
                return file
            } catch {
                try? file.close()
                throw error
            }
        }

        private static func nameless() throws -> FileDescriptor {
            let descriptor = haul_nameless_file()
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            return FileDescriptor(rawValue: descriptor)
        }
    }
#endif
