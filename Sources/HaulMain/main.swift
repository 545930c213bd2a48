import HaulCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

exit(await HaulProgram.run(arguments: Array(CommandLine.arguments.dropFirst())))
