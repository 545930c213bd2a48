import HaulHTTPServing
import Testing

@Suite("The exchanges of a connection")
struct ExchangesTests {
    /// What can happen on a connection, as far as it is possible after what happened before.
    enum Event: CaseIterable { case begin, complete, beginResponse, completeResponse, fail }

    /// The same connection, told simply: each request with what became of it.
    struct Model {
        var unanswered = 0
        var isReading = false
        var isWriting = false
        var isFaulty = false

        func allows(_ event: Event) -> Bool {
            switch event {
            case .begin: !isReading && !isFaulty
            case .complete: isReading && !isFaulty
            case .beginResponse: !isWriting && unanswered > 0
            case .completeResponse: isWriting
            case .fail: !isFaulty
            }
        }

        mutating func apply(_ event: Event) {
            switch event {
            case .begin: (unanswered, isReading) = (unanswered + 1, true)
            case .complete: isReading = false
            case .beginResponse: isWriting = true
            case .completeResponse: (isWriting, unanswered) = (false, unanswered - 1)
            case .fail: isFaulty = true
            }
        }
    }

    @Test("in every order: a fault is answered once, in its turn, and never within or after the answer to its request")
    func allOrders() {
        var ends = (responded: 0, closed: 0)
        func explore(_ exchanges: Exchanges, _ model: Model, depth: Int) {
            for event in Event.allCases where model.allows(event) {
                var (exchanges, model) = (exchanges, model)
                var step = Exchanges.Step.pass
                switch event {
                case .begin: exchanges.begin(isLast: false)
                case .complete: exchanges.complete()
                case .beginResponse: exchanges.beginResponse()
                case .completeResponse: step = exchanges.completeResponse()
                case .fail: step = exchanges.fail()
                }
                model.apply(event)
                let own = model.isReading ? 1 : 0
                switch step {
                case .pass:
                    #expect(exchanges.writes)
                    #expect(exchanges.reads == !model.isFaulty)
                    // It waits only while an answer is being written, or is due before its own.
                    if model.isFaulty { #expect(model.isWriting || model.unanswered > own) }
                    if depth > 0 { explore(exchanges, model, depth: depth - 1) }
                case .response:
                    #expect(model.isFaulty && !model.isWriting && model.unanswered == own)
                    #expect(!exchanges.reads && !exchanges.writes)
                    ends.responded += 1
                case .close:
                    // Its request was answered before it turned out to be faulty.
                    #expect(model.isFaulty && model.isReading && model.unanswered == 0)
                    #expect(!exchanges.writes)
                    ends.closed += 1
                }
            }
        }
        explore(Exchanges(), Model(), depth: 9)
        #expect(ends.responded > 100 && ends.closed > 10)
    }

    @Test("the answer to the last request closes, and only that one")
    func last() {
        var exchanges = Exchanges()
        exchanges.begin(isLast: false)
        exchanges.complete()
        exchanges.begin(isLast: true)
        exchanges.complete()
        #expect(!exchanges.isLastResponse)
        exchanges.beginResponse()
        #expect(exchanges.completeResponse() == .pass)
        #expect(exchanges.isLastResponse)
        exchanges.beginResponse()
        #expect(exchanges.completeResponse() == .close)
        #expect(!exchanges.reads && !exchanges.writes)
    }

    @Test("a request that is answered before it is complete may have a rest")
    func early() {
        var exchanges = Exchanges()
        exchanges.begin(isLast: false)
        #expect(!exchanges.isAnsweredEarly)
        exchanges.beginResponse()
        #expect(exchanges.completeResponse() == .pass)
        #expect(exchanges.isAnsweredEarly)
        exchanges.end()
        #expect(!exchanges.isAnsweredEarly && !exchanges.writes)
    }
}
