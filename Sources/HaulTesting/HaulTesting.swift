// Scripts name requests and failures of transports: `import HaulTesting` is enough for both.
@_exported public import HaulTransport
