package import HaulCore

/// The settings that can be changed while the daemon is running.
///
/// Fields that are nil are reported as `null`, which means no limit.
package struct SettingsMessage: Hashable, Sendable {
    /// The maximum number of active downloads; 0 if none may start.
    package var jobs: Int?
    /// The maximum number of active downloads per host.
    package var jobsPerHost: Int?
    /// The order of downloads with the same priority.
    package var order: QueueOrder
    /// The total limit in bytes per second.
    package var rateLimit: Int64?
    /// Limits by the time of day, such as `22:00-06:00 unlimited, else 2M`; overrides `rateLimit`.
    package var rateSchedule: String?

    /// Creates the message.
    package init(
        jobs: Int?, jobsPerHost: Int?, order: QueueOrder, rateLimit: Int64?, rateSchedule: String?
    ) {
        (self.jobs, self.jobsPerHost) = (jobs, jobsPerHost)
        (self.order, self.rateLimit, self.rateSchedule) = (order, rateLimit, rateSchedule)
    }
}

extension SettingsMessage: Codable {
    /// The names of the fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case jobs, jobsPerHost, order, rateLimit, rateSchedule
    }

    /// Encodes all fields, those without a value as `null`.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(jobs, forKey: .jobs)
        try values.encode(jobsPerHost, forKey: .jobsPerHost)
        try values.encode(order, forKey: .order)
        try values.encode(rateLimit, forKey: .rateLimit)
        try values.encode(rateSchedule, forKey: .rateSchedule)
    }
}

/// Changes to the settings: a missing field remains unchanged, `null` removes the limit.
package struct SettingsPatch: Hashable, Sendable, KnownFields {
    /// See `SettingsMessage`.
    package var jobs: Change<Int>?
    /// See `SettingsMessage`.
    package var jobsPerHost: Change<Int>?
    /// See `SettingsMessage`.
    package var order: QueueOrder?
    /// See `SettingsMessage`; 0 removes the limit as well.
    package var rateLimit: Change<Int64>?
    /// See `SettingsMessage`.
    package var rateSchedule: Change<String>?

    /// Creates a patch that changes nothing.
    package init() {}

    /// The change of a field.
    package enum Change<Value: Hashable & Sendable & Codable>: Hashable, Sendable {
        /// The field has no value any more.
        case none
        /// The field has this value.
        case some(Value)

        /// Creates the change to a value, or to none.
        package init(_ value: Value?) { self = value.map { Self.some($0) } ?? Self.none }

        /// The new value.
        package var value: Value? {
            switch self {
            case .none: nil
            case .some(let value): value
            }
        }
    }

    /// The valid fields.
    package typealias Field = SettingsMessage.CodingKeys
}

extension SettingsPatch: Codable {
    /// Decodes a patch.
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

    /// Encodes the changes.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Field.self)
        if let jobs { try values.encode(jobs.value, forKey: .jobs) }
        if let jobsPerHost { try values.encode(jobsPerHost.value, forKey: .jobsPerHost) }
        try values.encodeIfPresent(order, forKey: .order)
        if let rateLimit { try values.encode(rateLimit.value, forKey: .rateLimit) }
        if let rateSchedule { try values.encode(rateSchedule.value, forKey: .rateSchedule) }
    }
}
