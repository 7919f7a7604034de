// HTTP/1.1 over libmicrohttpd, with the strictness the library lacks.
