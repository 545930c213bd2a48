import HTTPTypes
import HaulCore
import HaulTransport

/// Makes the request that a fetch plan asks for.
struct RequestBuilder: Sendable {
    /// The spec that the download was made of.
    let spec: DownloadSpec
    /// Its URL; credentials are for its origin only.
    let origin: SourceURL

    /// What Haul calls itself unless told otherwise.
    static let userAgent = "haul/0.1"

    /// Headers that carry no secret and may go to any origin.
    private static let harmless: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]

    /// The request for one fetch.
    ///
    /// Headers of the caller stay at the origin of the spec's URL, but for the harmless ones.
    func request(for plan: FetchPlan) -> TransferRequest {
        let isHome = plan.url.origin == origin.origin
        var fields = HTTPFields()
        fields[.userAgent] = Self.userAgent
        fields[.accept] = "*/*"
        if isHome, origin.isWeb, let credentials = origin.credentials {
            fields[.authorization] = credentials.basicAuthorization
        }
        var replaced: Set<HTTPField.Name> = []
        for header in spec.headers {
            guard let name = HTTPField.Name(header.name), isHome || Self.harmless.contains(name) else { continue }
            if replaced.insert(name).inserted { fields[values: name] = [] }
            fields.append(HTTPField(name: name, value: header.value))
        }
        fields[.acceptEncoding] = "identity"
        fields[.range] = plan.ask.rangeHeader
        fields[.ifRange] = plan.ask.ifRangeHeader
        var request = TransferRequest(
            url: plan.url.string, headers: fields, connectTimeout: spec.connectTimeout, insecure: spec.insecure)
        if isHome, !origin.isWeb, let credentials = origin.credentials {
            let login = Credentials(user: credentials.user, password: credentials.password)
            request.authentication = Authentication([.basic], login)
        }
        return request
    }
}
