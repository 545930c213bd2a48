import NIOSSL

/// TLS for scripts: an untrusted certificate, and its key, which is not secret.
enum TransportConformanceTLS {
    static func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map(NIOSSLCertificateSource.certificate)
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBhjCCASygAwIBAgIUOJXBMNQyUfvcdlge+FY0B47ZFqAwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjMxMDQ4MTRaGA8yMTI2MTAzMDEwNDgx
        NFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJqU
        btlqn6d1QM2l7c6h94NjVhIoBHbQLImM/7ZGk4o7SoPpUiIN//Zchw+lNThut2yf
        03ssZg8D5NkxnXZDM26jZDBiMB0GA1UdDgQWBBR9QcIkWZyUrjgk50cJ+telFKQN
        ATAfBgNVHSMEGDAWgBR9QcIkWZyUrjgk50cJ+telFKQNATAPBgNVHRMBAf8EBTAD
        AQH/MA8GA1UdEQQIMAaHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgUeZ5davTT98a
        iQkU+M7x7VuYFdqS79JfZe3m+GM4h7wCIQCzdyWpkbTHzmluSI4FGb01Fb4R8Ylr
        Sec5yzjHjHwCBw==
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtWQXS5PSW8VXfK8P
        k1EnbeqaAack0LgJE13zXMm7YCehRANCAASalG7Zap+ndUDNpe3OofeDY1YSKAR2
        0CyJjP+2RpOKO0qD6VIiDf/2XIcPpTU4brdsn9N7LGYPA+TZMZ12QzNu
        -----END PRIVATE KEY-----
        """
}
