import HaulCore
import HaulOptions

extension LimitingFactor {
    /// The option to use for a faster download; nil if no option helps.
    var advice: String? {
        switch cause {
        case .connectionLimit(let limit, _):
            "--connections \(min(ConnectionsArgument.largest, max(2, limit > 1 << 30 ? limit : limit * 2)))"
        case .rateLimit: "raise or remove --limit-rate"
        case .single(.noValidator, _): "--checksum allows more"
        case .perConnection, .total, .server, .refusals, .hostLimit, .single, .latency, .serverAsked, .retries, .stalls,
            .disk, .processor, .processorQuota, .processorWait, .verifying, .files, .proxy:
            nil
        }
    }
}
