import CCurl

/// The one owner of a `CURL` handle and thereby of the connection it keeps open.
@safe
final class EasyHandle: Sendable {
    /// Connections a handle keeps: it serves one request at a time, mostly to one host.
    private static let keptConnections = 2
    /// A connection unused for longer is not used again: the other end may be about to close it.
    private static let keptSecondsLimit = 25

    /// Used by one thread at a time: whoever took the handle from the pool.
    nonisolated(unsafe) private let curl: UnsafeMutableRawPointer

    /// Nil when memory is out.
    init?() {
        guard isLibraryReady, let made = unsafe curl_easy_init() else { return nil }
        unsafe curl = made
    }

    deinit { unsafe curl_easy_cleanup(curl) }

    func perform(
        _ request: ClientRequest, _ settings: TransportSettings, timeoutMilliseconds: Int
    ) throws(TransportError) -> ClientResponse {
        let reception = Reception(
            headerBytesLimit: settings.responseHeaderBytesLimit,
            bodyBytesLimit: settings.responseBytesLimit,
            isRepeatable: request.isRepeatable
                ?? ["GET", "HEAD", "PUT", "DELETE"].contains(request.method))
        let fields = try FieldList(request)
        // Leaves connections and names known, forgets everything about the last request.
        unsafe curl_easy_reset(curl)
        try setBounds(settings, timeoutMilliseconds)
        try setRequest(request, fields)
        setReception(reception)
        let result = try perform(with: request)
        guard result == CURLE_OK else {
            throw TransportError(
                result, isOverLimit: reception.isOverLimit, isSent: reception.isRequestWritten)
        }
        // libcurl takes a connection that ends in the middle of the head for an empty answer.
        guard reception.isHeadComplete else {
            throw TransportError(
                code: .interrupted, message: "the connection ended in the middle of the header",
                isSent: true)
        }
        return ClientResponse(
            status: unsafe holdfast_response_code(curl), headers: reception.headers,
            body: reception.body)
    }

    /// libcurl reads the body from our memory, which stays where it is until it is done.
    private func perform(with request: ClientRequest) throws(TransportError) -> CURLcode {
        if request.body.isEmpty {
            // Says "Content-Length: 0" where a body would be expected.
            if ["POST", "PUT", "PATCH"].contains(request.method) {
                try set(CURLOPT_COPYPOSTFIELDS, text: "")
            }
            return unsafe curl_easy_perform(curl)
        }
        set(CURLOPT_POSTFIELDSIZE_LARGE, size: request.body.count)
        return unsafe request.body.withUnsafeBytes { body in
            _ = unsafe holdfast_set_pointer(curl, CURLOPT_POSTFIELDS, body.baseAddress)
            return unsafe curl_easy_perform(curl)
        }
    }

    private func setBounds(
        _ settings: TransportSettings, _ timeoutMilliseconds: Int
    ) throws(TransportError) {
        // Signals cannot interrupt name look-ups in a program with threads.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, settings.connectTimeout.milliseconds))
        set(CURLOPT_TIMEOUT_MS, max(1, timeoutMilliseconds))
        set(CURLOPT_MAXFILESIZE_LARGE, size: settings.responseBytesLimit)
        set(CURLOPT_MAXCONNECTS, EasyHandle.keptConnections)
        set(CURLOPT_MAXAGE_CONN, EasyHandle.keptSecondsLimit)
        // A handle serves one request at a time, so HTTP/2 would multiplex nothing.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        // Empty, not absent: absent would take a proxy from the environment.
        try set(CURLOPT_PROXY, text: "")
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = settings.certificateAuthoritiesFile {
            try set(CURLOPT_CAINFO, text: file)
        }
    }

    private func setRequest(
        _ request: ClientRequest, _ fields: borrowing FieldList
    ) throws(TransportError) {
        guard isPlain(request.url) else {
            throw TransportError(code: .badURL, message: "the URL holds a control byte; encode it")
        }
        try set(CURLOPT_URL, text: request.url)
        try set(CURLOPT_CUSTOMREQUEST, text: request.method)
        // The path is sent as written: "/a/../b" is for the other end to judge.
        set(CURLOPT_PATH_AS_IS, 1)
        if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
        fields.set(on: unsafe curl)
    }

    private func setReception(_ reception: Reception) {
        let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
        _ = unsafe holdfast_set_receiver(curl, CURLOPT_HEADERFUNCTION, headerCallback)
        _ = unsafe holdfast_set_pointer(curl, CURLOPT_HEADERDATA, context)
        _ = unsafe holdfast_set_receiver(curl, CURLOPT_WRITEFUNCTION, bodyCallback)
        _ = unsafe holdfast_set_pointer(curl, CURLOPT_WRITEDATA, context)
        _ = unsafe holdfast_set_before_request(curl, beforeRequestCallback)
        _ = unsafe holdfast_set_pointer(curl, CURLOPT_PREREQDATA, context)
    }

    private func set(_ option: CURLoption, _ value: Int) {
        _ = unsafe holdfast_set_long(curl, option, value)
    }

    private func set(_ option: CURLoption, size: Int) {
        _ = unsafe holdfast_set_size(curl, option, size)
    }

    private func set(_ option: CURLoption, text: String) throws(TransportError) {
        let result = unsafe holdfast_set_text(curl, option, text)
        guard result == CURLE_OK else {
            throw TransportError(result, isOverLimit: false, isSent: false)
        }
    }
}

/// The one owner of a `curl_slist` of header fields.
@safe
struct FieldList: ~Copyable {
    private var list: UnsafeMutablePointer<curl_slist>?

    init(_ request: ClientRequest) throws(TransportError) {
        let all = [request.method] + request.headers.flatMap { [$0.0, $0.1] }
        guard all.allSatisfy(isPlain) else {
            throw TransportError(
                code: .badRequest, message: "a method or header holds a control byte; remove it")
        }
        // libcurl would wait a second for leave to send a large body.
        append("Expect:")
        let hasType = request.headers.contains { equalIgnoringASCIICase($0.0, "Content-Type") }
        // libcurl would call every body a form.
        if !hasType { append("Content-Type:") }
        for (name, value) in request.headers {
            // With a colon, libcurl would take an empty value for a field to leave out.
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
    }

    deinit { unsafe curl_slist_free_all(list) }

    @safe borrowing func set(on curl: UnsafeMutableRawPointer) {
        _ = unsafe holdfast_set_list(curl, CURLOPT_HTTPHEADER, list)
    }

    private mutating func append(_ line: String) {
        if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer }
    }
}

/// libcurl's own state, made once per process.
private let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

/// No control byte: a line break would end the field and begin another.
private func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
}
