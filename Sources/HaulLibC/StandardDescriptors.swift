/// The standard input, output and error of a program.
package enum StandardDescriptors {
    /// Takes the numbers of those that are closed, so that no other file gets them.
    ///
    /// They are opened in the other direction: reading and writing still fail (EBADF).
    package static func reserve() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Unsafe: the path is a literal. The lowest free number is this one, because the lower ones are taken.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
