// ES256, JWS framing, certificate chains and sealing over OpenSSL 3.
