import Haul
import HaulCore
import Testing

@Suite("The rule for private addresses")
struct AddressRuleTests {
    @Test("Only the present permission lifts the limit of a download, and only for a run", arguments: [false, true])
    func runs(allowsAll: Bool) {
        let rule = AddressRule { allowsAll }
        var spec = DownloadSpec(url: "http://h/a", destination: .folder(path: "/d"))
        #expect(rule.spec(forRunOf: spec) == spec)
        spec.publicAddressesOnly = true
        #expect(rule.spec(forRunOf: spec).publicAddressesOnly == !allowsAll)
        #expect(spec.publicAddressesOnly)
    }
}
