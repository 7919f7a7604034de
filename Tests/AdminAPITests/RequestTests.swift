import AdminAPI
import TestSupport
import Testing

/// What every operation refuses in the same way, tried on the simplest one.
@Suite(.database) struct RequestTests {
    @Test func aBodyThatIsNoCleanJSONIsRefused() throws {
        let agency = try GatewayStage().makeAgency()
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let deeper = String(repeating: "{\"a\":", count: 100_000)
        let bodies = [
            "", "null", "[]", "1", "\"x\"", "{", "{\"name\":\"a\"} x", "{\"name\":\"a\",}",
            "{'name':'a'}", "{\"name\":\"a\",\"name\":\"b\"}", "{\"name\":\"\\ud800\"}",
            "{\"name\":\(deep)}", deeper, "{\"name\":01}", "{\"name\":NaN}", "{\"name\":1e400}",
            "{\"name\":123456789012345678901234567890}", "{\"\u{e9}\":1,\"e\u{301}\":2}",
        ]
        for body in bodies {
            let answer = try agency.stage.send(
                "POST", "/v1/clients", token: agency.token,
                headers: [("Content-Type", "application/json")], body: Array(body.utf8))
            #expect(answer.status == 400, "\(body.prefix(40)) \(answer.text)")
            #expect(answer.code == "malformedBody")
        }
        let broken = try agency.stage.send(
            "POST", "/v1/clients", token: agency.token,
            headers: [("Content-Type", "application/json")],
            body: Array("{\"name\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8))
        #expect(broken.code == "malformedBody")
    }

    /// A million bytes of tiny values, which once took nine seconds of a whole core.
    @Test func aLargeBodyOfTinyValuesIsReadAtOnce() throws {
        let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        let flat = Array(repeating: "0", count: 400_000).joined(separator: ",")
        for list in [Array(repeating: deep, count: 16_000).joined(separator: ","), flat] {
            let body = Array("{\"name\":[\(list)]}".utf8)
            let start = ContinuousClock.now
            let tree = try JSONTree(document: body)
            #expect(tree["name"]?.elements.isEmpty == false)
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }

    @Test func whatIsWrittenIsWhatIsRead() throws {
        let texts: [(String, JSONTree)] = [
            ("\"a\\u00e9\\n\\t\\/\\\\\\\"\\b\\f\\r\"", "aé\n\t/\\\"\u{8}\u{c}\r"),
            ("\"\\ud83d\\ude00é😀\"", "😀é😀"), ("\"\"", ""),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("4.999e9", 4_999_000_000), ("39990.0", 39_990), ("5e0", 5), ("-0", 0),
            ("39990.5", .number(39_990.5)), ("9223372036854775808", .number(0x1p63)),
            ("[ ]", []), ("{ }", [:]), ("[1 , [true,false , null] ]", [1, [true, false, .null]]),
            ("{\"a\" : {\"b\":[]} , \"c\":1 }", ["a": ["b": []], "c": 1]),
        ]
        for (text, value) in texts {
            let document = Array(" {\"v\" : \(text) } ".utf8)
            #expect(try JSONTree(document: document) == ["v": value], "\(text)")
        }
        for (_, value) in texts where value != .number(0x1p63) {
            let document: JSONTree = ["v": value]
            #expect(try JSONTree(document: document.bytes) == document)
        }
    }

    @Test func aNULInATextIsNamed() throws {
        let agency = try GatewayStage().makeAgency()
        let answer = try agency.post("/v1/clients", ["name": "a\u{0}b"])
        #expect(answer.status == 422)
        #expect(answer.errors == ["/name notAllowed"])
        for target in ["/v1/clients?cursor=%00", "/v1/clients?%00=1", "/v1/clients/%00"] {
            let answer = try agency.get(target)
            #expect([400, 404].contains(answer.status), "\(target) \(answer.text)")
        }
    }

    @Test func everyWrongValueIsNamedInOneAnswer() throws {
        let agency = try GatewayStage().makeAgency()
        let wrong: [(JSONTree, [String])] = [
            ([:], ["/name required"]), (["name": .null], ["/name required"]),
            (["name": 5], ["/name wrongType"]), (["name": ""], ["/name tooShort"]),
            (["name": ["x"]], ["/name wrongType"]),
            (["a/b~c": 1], ["/name required", "/a~1b~0c unknown"]),
        ]
        for (body, errors) in wrong {
            let answer = try agency.post("/v1/clients", body)
            #expect(answer.status == 422)
            #expect(answer.errors == errors, "\(body)")
        }
    }

    @Test func aBodyFullOfMistakesGetsAShortAnswer() throws {
        let agency = try GatewayStage().makeAgency()
        let members = (0..<50_000).map { ("m\($0)", JSONTree.integer(1)) }
        let body = JSONTree.object(Dictionary(uniqueKeysWithValues: members))
        let answer = try agency.post("/v1/clients", body)
        #expect(answer.status == 422)
        #expect(answer.errors.count == Problem.errorsLimit)
        #expect(answer.body.count < 64 * 1_024)
    }

    @Test func aParameterThatIsNotKnownIsRefused() throws {
        let agency = try GatewayStage().makeAgency()
        let wrong = [
            ("limt=5", "unknownParameter"), ("limit=0", "invalidParameter"),
            ("limit=101", "invalidParameter"), ("limit=%2B5", "invalidParameter"),
            ("limit=5&limit=5", "invalidParameter"), ("limit=", "invalidParameter"),
            ("limit=5%", "invalidParameter"), ("limit=9223372036854775808", "invalidParameter"),
            ("cursor=x", "invalidCursor"), ("cursor=%F0%9F%98%80", "invalidCursor"),
        ]
        for (query, code) in wrong {
            let answer = try agency.get("/v1/clients?\(query)")
            #expect(answer.status == 400, "\(query)")
            #expect(answer.code == code, "\(query)")
        }
        #expect(try agency.get("/v1/clients?").status == 200)
    }

    @Test func aBodyOfAnotherTypeIsRefused() throws {
        let agency = try GatewayStage().makeAgency()
        let types: [(String, Int)] = [
            ("application/json", 201), ("application/json; charset=utf-8", 201),
            ("APPLICATION/JSON", 201), ("text/plain", 415), ("", 415),
            ("application/x-www-form-urlencoded", 415), ("application/jsonx", 415),
        ]
        for (type, status) in types {
            let answer = try agency.stage.send(
                "POST", "/v1/clients", token: agency.token, headers: [("Content-Type", type)],
                body: Array("{\"name\":\"a\"}".utf8))
            #expect(answer.status == status, "\(type)")
        }
    }

    @Test func whatIsNotThereIsSaidInTheSameWay() throws {
        let agency = try GatewayStage().makeAgency()
        for target in ["/", "/v1", "/v1/", "/v1/nothing", "/v1/clients/", "/v1/clients/x"] {
            let answer = try agency.get(target)
            #expect(answer.status == 404, "\(target)")
            #expect(answer.code == "notFound")
            #expect(answer.header("Content-Type") == "application/problem+json")
        }
        let method = try agency.send("PUT", "/v1/clients", ["name": "a"])
        #expect(method.status == 405)
        #expect(method.header("Allow") == "GET, POST")
        #expect(method.code == "methodNotAllowed")
    }

    @Test func everyAnswerCarriesTheCallersRequestIdOrANewOne() throws {
        let agency = try GatewayStage().makeAgency()
        let own = try agency.get("/v1/clients", headers: [("Request-Id", "abc-DEF_123")])
        #expect(own.header("Request-Id") == "abc-DEF_123")
        let long = String(repeating: "x", count: 65)
        for bad in ["", "a b", "é", long, "a\"b"] {
            let answer = try agency.get("/v1/clients", headers: [("Request-Id", bad)])
            #expect(answer.header("Request-Id") != bad)
            #expect(answer.header("Request-Id")?.count == 32)
        }
        let problem = try agency.get("/v1/nothing", headers: [("Request-Id", "mine")])
        #expect(problem.json["requestId"] == "mine")
        #expect(problem.header("Request-Id") == "mine")
    }

    @Test func whatIsHeldIsNotSentAgainAndWhatIsStaleIsNotChanged() throws {
        let agency = try GatewayStage().makeAgency()
        let made = try agency.post("/v1/clients", ["name": "first"])
        let target = try #require(made.header("Location"))
        let tag = try #require(made.header("ETag"))
        for held in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let answer = try agency.get(target, headers: [("If-None-Match", held)])
            #expect(answer.status == 304, "\(held)")
            #expect(answer.body.isEmpty)
        }
        #expect(try agency.get(target, headers: [("If-None-Match", "\"x\"")]).status == 200)

        let blind = try agency.send("PATCH", target, ["name": "second"])
        #expect(blind.status == 428)
        #expect(blind.code == "preconditionRequired")
        let match = [("If-Match", tag)]
        #expect(try agency.send("PATCH", target, ["name": "second"], headers: match).status == 200)
        let stale = try agency.send("PATCH", target, ["name": "third"], headers: match)
        #expect(stale.status == 412)
        #expect(try agency.send("DELETE", target, headers: match).status == 412)
        #expect(try agency.get(target).json["name"] == "second")
    }

    @Test func aPatchTakesNullForAbsentAndRefusesTypos() throws {
        let agency = try GatewayStage().makeAgency()
        let target = try #require(
            try agency.post("/v1/clients", ["name": "first"]).header("Location"))
        #expect(try agency.patch(target, [:]).json["name"] == "first")
        #expect(try agency.patch(target, ["name": .null]).errors == ["/name required"])
        #expect(try agency.patch(target, ["nmae": "x"]).errors == ["/nmae unknown"])
        #expect(try agency.get(target).json["name"] == "first")
    }

    @Test func ofTwoPatchesAtOnceOneIsRefused() throws {
        let agency = try GatewayStage().makeAgency()
        let made = try agency.post("/v1/clients", ["name": "first"])
        let target = try #require(made.header("Location"))
        let match = [("If-Match", try #require(made.header("ETag")))]
        let both = (1...2).map { number in
            ParallelWork {
                try agency.send(
                    "PATCH", target, ["name": .string("by \(number)")], headers: match
                ).status
            }
        }
        #expect(try both.map { try $0.value() }.sorted() == [200, 412])
    }
}
