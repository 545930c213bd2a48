package import HaulCore

/// What can be changed while the daemon works.
///
/// What is nil is told as `null`, which means: no limit.
package struct SettingsMessage: Hashable, Sendable {
    /// How many downloads may be at work at once; 0: none begins.
    package var jobs: Int?
    /// How many downloads of one host may be at work at once.
    package var jobsPerHost: Int?
    /// Which of those with the same priority comes first.
    package var order: QueueOrder
    /// Bytes per second over all.
    package var rateLimit: Int64?
    /// Limits by the time of day, as `22:00-06:00 unlimited, else 2M`; where it is set, `rateLimit` does not count.
    package var rateSchedule: String?

    /// Makes the message.
    package init(
        jobs: Int?, jobsPerHost: Int?, order: QueueOrder, rateLimit: Int64?, rateSchedule: String?
    ) {
        (self.jobs, self.jobsPerHost) = (jobs, jobsPerHost)
        (self.order, self.rateLimit, self.rateSchedule) = (order, rateLimit, rateSchedule)
    }
}

extension SettingsMessage: Codable {
    /// The names of its fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case jobs, jobsPerHost, order, rateLimit, rateSchedule
    }

    /// Writes all fields, those without a value as `null`.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(jobs, forKey: .jobs)
        try values.encode(jobsPerHost, forKey: .jobsPerHost)
        try values.encode(order, forKey: .order)
        try values.encode(rateLimit, forKey: .rateLimit)
        try values.encode(rateSchedule, forKey: .rateSchedule)
    }
}

/// What is changed of the settings: a field that is missing stays as it is, `null` takes the limit away.
package struct SettingsPatch: Hashable, Sendable, KnownFields {
    /// See `SettingsMessage`.
    package var jobs: Change<Int>?
    /// See `SettingsMessage`.
    package var jobsPerHost: Change<Int>?
    /// See `SettingsMessage`.
    package var order: QueueOrder?
    /// See `SettingsMessage`; 0 takes the limit away, too.
    package var rateLimit: Change<Int64>?
    /// See `SettingsMessage`.
    package var rateSchedule: Change<String>?

    /// Makes a patch that changes nothing.
    package init() {}

    /// What becomes of a field.
    package enum Change<Value: Hashable & Sendable & Codable>: Hashable, Sendable {
        /// It has no value any more.
        case none
        /// It has this one.
        case some(Value)

        /// The change to a value, or to none.
        package init(_ value: Value?) { self = value.map { Self.some($0) } ?? Self.none }

        /// The new value.
        package var value: Value? {
            switch self {
            case .none: nil
            case .some(let value): value
            }
        }
    }

    /// The fields that it may have.
    package typealias Field = SettingsMessage.CodingKeys
}

extension SettingsPatch: Codable {
    /// Reads a patch.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Field.self)
        func change<Value>(_ key: Field) throws -> Change<Value>? {
            guard values.contains(key) else { return nil }
            return try values.decodeNil(forKey: key) ? Change.none : .some(try values.decode(Value.self, forKey: key))
        }
        jobs = try change(.jobs)
        jobsPerHost = try change(.jobsPerHost)
        order = try values.decodeIfPresent(QueueOrder.self, forKey: .order)
        rateLimit = try change(.rateLimit)
        rateSchedule = try change(.rateSchedule)
    }

    /// Writes what changes.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Field.self)
        if let jobs { try values.encode(jobs.value, forKey: .jobs) }
        if let jobsPerHost { try values.encode(jobsPerHost.value, forKey: .jobsPerHost) }
        try values.encodeIfPresent(order, forKey: .order)
        if let rateLimit { try values.encode(rateLimit.value, forKey: .rateLimit) }
        if let rateSchedule { try values.encode(rateSchedule.value, forKey: .rateSchedule) }
    }
}
