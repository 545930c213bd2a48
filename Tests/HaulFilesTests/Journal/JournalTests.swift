import HaulCore
import HaulFiles
import HaulTestData
import Testing

/// The journal's bytes: what is written is read, and nothing else is believed.
@Suite struct JournalTests {
    static func header(
        nonce: UInt64 = 7, source: String = "5f", total: Int64? = 1000, etag: String? = "\"abc\"",
        modified: String? = nil,
        boot: String = "boot", mount: UInt64 = 3
    ) -> JournalHeader {
        JournalHeader(
            nonce: nonce, sourceID: source, totalBytes: total, etag: etag, lastModified: modified, bootID: boot,
            mountID: mount,
            partial: InodeIdentity(inode: 11, birthSeconds: -5, birthNanoseconds: 999_999_999))
    }

    static let slots = [
        JournalSlot(start: 0, written: 200, durable: 100), JournalSlot(start: 400, written: 400, durable: 400),
        JournalSlot(start: 700, written: 1000, durable: 1000),
    ]

    @Test(
        arguments: [nil, 0, 1, 1000, Int64.max] as [Int64?],
        [(nil, nil), ("", nil), ("\"é\"", "Sun, 06 Nov 1994 08:49:37 GMT"), (nil, "x")] as [(String?, String?)])
    func readsWhatItWrote(total: Int64?, validators: (String?, String?)) throws {
        var header = Self.header(total: total, etag: validators.0, modified: validators.1)
        header.provenance = Provenance.allCases[Int((total ?? 0) % 3)]
        header.describer.mirror = [nil, "a mirror", ""][Int((total ?? 0) % 3)]
        header.describer.place = [nil, "", "a place"][Int((total ?? 1) % 3)]
        header.isSyncing = validators.0 == ""
        let journal = Journal(header: header, slots: Self.slots)
        let bytes = journal.encoded()
        #expect(bytes.count == 4096 + 3 * 64)
        #expect(try Journal(decoding: bytes) == journal)
    }

    @Test func withoutRoomForAValidatorNothingIsProved() throws {
        let long = String(repeating: "x", count: 4100)
        let read = try JournalHeader(decoding: Self.header(etag: long, modified: "short").encoded())
        #expect(read.etag == nil)
        #expect(read.lastModified == "short")
        #expect(read.provenance == .unproven)
        #expect(try JournalHeader(decoding: Self.header(source: long).encoded()).sourceID.isEmpty)
    }

    @Test(arguments: 4000...4020) func aMirrorHasRoomBeforeAnythingElse(length: Int) throws {
        for mirror in ["5e", ""] {
            var header = Self.header(source: String(repeating: "x", count: length))
            header.describer = JournalDescriber(mirror: mirror, place: mirror + "place")
            #expect(try JournalHeader(decoding: header.encoded()).describer == header.describer)
        }
    }

    /// The room is used to the last byte and not beyond.
    @Test(arguments: 4000...4020) func validatorAtTheLimit(length: Int) throws {
        let etag = String(repeating: "e", count: length)
        let read = try JournalHeader(decoding: Self.header(source: "", etag: etag, boot: "").encoded())
        #expect(read.etag == (length <= 4016 ? etag : nil))
        #expect(read.provenance == (length <= 4016 ? .oneSource : .unproven))
    }

    @Test(arguments: [false, true]) func eachChangedByteOfTheHeaderIsNoticed(isSyncing: Bool) {
        var header = Self.header()
        header.isSyncing = isSyncing
        let bytes = header.encoded()
        for index in bytes.indices {
            for bit in [0, 3, 7] {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: JournalFault.self) { try JournalHeader(decoding: changed) }
            }
        }
    }

    @Test func eachChangedByteOfASlotCostsThatSlotOnly() throws {
        let journal = Journal(header: Self.header(), slots: Self.slots)
        let bytes = journal.encoded()
        for index in 4096..<bytes.count {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                var left = Self.slots
                left.remove(at: (index - 4096) / 64)
                #expect(try Journal(decoding: changed).slots == left)
            }
        }
    }

    @Test func cutAtEachLength() throws {
        let bytes = Journal(header: Self.header(), slots: Self.slots).encoded()
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            if length < 4096 {
                #expect(throws: JournalFault.cut) { try Journal(decoding: cut) }
            } else {
                #expect(try Journal(decoding: cut).slots == Array(Self.slots.prefix((length - 4096) / 64)))
            }
        }
    }

    @Test func slotsOfAnotherJournalOrAnotherPlaceDoNotCount() throws {
        let own = Journal(header: Self.header(nonce: 1), slots: Self.slots).encoded()
        let foreign = Journal(header: Self.header(nonce: 2), slots: Self.slots).encoded()
        #expect(try Journal(decoding: Array(own[..<4096] + foreign[4096...])).slots.isEmpty)
        let swapped = own[..<4096] + own[4160..<4224] + own[4096..<4160] + own[4224...]
        #expect(try Journal(decoding: Array(swapped)).slots == [Self.slots[2]])
    }

    @Test func anotherVersionIsNamed() {
        var bytes = Self.header().encoded()
        bytes[8] = 9
        #expect(throws: JournalFault.version(9)) { try JournalHeader(decoding: bytes) }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func randomBytesNeverTrap(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let journal = Journal(header: Self.header(), slots: Self.slots)
        var bytes = seed % 4 == 0 ? [] : journal.encoded()
        let count = Int.random(in: 0...6000, using: &generator)
        if bytes.isEmpty { bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        for _ in 0..<Int.random(in: 0...8, using: &generator) where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        guard let read = try? Journal(decoding: bytes) else { return }
        #expect(read.header == journal.header)
        #expect(read.slots.allSatisfy(Self.slots.contains))
    }

    /// Foreign numbers behind a right check value: all of them extreme, in each combination.
    @Test func extremeNumbersNeverTrap() throws {
        let numbers: [Int64] = [.min, -1, 0, 1, 999, 1000, 1001, .max]
        for total in [nil, 0, 1000, Int64.max] as [Int64?] {
            for start in numbers {
                for written in numbers {
                    for durable in numbers {
                        let slot = JournalSlot(start: start, written: written, durable: durable)
                        let bytes = Journal(header: Self.header(total: total), slots: [slot, slot]).encoded()
                        let read = try Journal(decoding: bytes)
                        #expect(read.slots.isEmpty == !(0 <= start && start <= durable && durable <= written))
                        for trust in JournalTrust.allCases {
                            SegmentsOfJournalTests.expectTiling(read.segments(trust), total: total)
                        }
                    }
                }
            }
        }
    }
}
