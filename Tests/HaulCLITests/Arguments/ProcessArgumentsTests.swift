import HaulCLI
import Testing

@Suite("The arguments as Linux has them")
struct ProcessArgumentsTests {
    @Test("each ends with a zero byte; empty ones and bytes that are not UTF-8 count as well")
    func split() {
        #expect(ProcessArguments.split(Array("haul\0get\0\0http://h/x\0".utf8)) == ["haul", "get", "", "http://h/x"])
        #expect(ProcessArguments.split([0xFF, 0]) == ["\u{FFFD}"])
        #expect(ProcessArguments.split([]) == [])
    }

    #if os(Linux)
        @Test("are those that Swift has, where it has them")
        func same() { #expect(ProcessArguments.fromKernel == CommandLine.arguments) }
    #endif
}
