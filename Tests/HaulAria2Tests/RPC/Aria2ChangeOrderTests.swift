import Testing

@testable import HaulAria2

@Suite struct Aria2ChangeOrderTests {
    @Test("a change that was overtaken by one of the same option is not carried out")
    func overtaken() {
        var order = Aria2ChangeOrder()
        let (first, second, third) = (order.begin(), order.begin(), order.begin())
        let orders = [
            order.finish(third, of: ["dir"]),
            order.finish(first, of: ["split", "dir"]),
            order.finish(second, of: ["split"]),
            order.finish(order.begin(), of: ["dir", "split"]),
        ]
        #expect(orders == [true, false, true, true])
    }
}
