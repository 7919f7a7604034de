"""Makes up requests, signs them as the App Store does, sends them, writes down what came back."""

import base64
import concurrent.futures
import functools
import json
import random
import socket
import urllib.parse
import uuid

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import decisions_conditions as conditions
import decisions_world

ODD_LOCALES = [
    "", "C", "root", "und", "xx-YY", "../../etc/passwd", "en--US", "en-US-", "日本語", "i-klingon",
    "e" * 80, "en_US.UTF-8", "zxx", "1n", "en US", "🇬🇧",
]
NEAR_LOCALES = [
    "en-IN", "en-AU", "en", "EN_us", "en_us", "en-US-u-hc-h12", "fr-CH", "fr-BE", "fr", "de-AT",
    "de-DE-1996", "de", "es-419", "es-AR", "es", "pt-AO", "pt", "pt_br", "zh-HK", "zh-TW", "zh-MO",
    "zh-CN", "zh-SG", "zh", "zh_Hant_TW", "zh-Hans-HK", "yue-HK", "yue-CN", "cmn", "cmn-TW",
    "nb-NO", "nn-NO", "nb", "no-NO", "iw-IL", "iw", "he-IL", "in-ID", "in", "tl-PH", "tl", "ja-JP",
    "sr-Latn", "uk-UA", "ru-UA", "ar-EG", "ca", "cy-GB", "mo", "ro-MD", "it-CH", "ko-KR", "ur-PK",
]
# How far a request may have travelled before it is answered.
TRAVEL_MILLISECONDS = 240_000
SENDERS = 4


def url64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def der_signature(key, data):
    return key.sign(data, ec.ECDSA(hashes.SHA256()))


def raw_signature(key, data):
    r, s = decode_dss_signature(der_signature(key, data))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def compact(header, claims, key):
    signed = f"{header}.{url64(json.dumps(claims).encode())}"
    return f"{signed}.{url64(raw_signature(key, signed.encode()))}"


@functools.cache
def private_key(text):
    return serialization.load_pem_private_key(text.encode(), None)


class AppStore:
    """Signs with the world's chain, or, for a forger, with a key that the chain does not have."""

    def __init__(self, world):
        self.header = url64(json.dumps({"alg": "ES256", "x5c": world["chain"]["x5c"]}).encode())
        self.key = private_key(world["chain"]["leafKeyPEM"])
        self.forger = ec.generate_private_key(ec.SECP256R1())

    def body(self, kind, request):
        key = self.forger if kind == "forged" else self.key
        return json.dumps({"signedPayload": compact(self.header, request, key)}).encode()


class Requests:
    """All by chance, the same for one seed."""

    def __init__(self, places, seed):
        self.places = places
        self.random = random.Random(seed)
        self.transactions = [sorted(place.subscribers) for place in places]
        self.weights = [1 if place.app["isStopped"] else 8 for place in places]

    def make(self, now, situation=conditions.GOOD):
        chance = self.random.random()
        (place,) = self.random.choices(self.places, self.weights)
        kind = "forged" if chance < 0.005 else "genuine"
        signed = place
        if 0.005 <= chance < 0.015:
            kind, signed = "otherApp", self.other(place)
        line = {
            "place": place.number, "at": now, "kind": kind, "request": self.request(signed, now)}
        return line if situation == conditions.GOOD else {**line, "conditions": situation}

    def other(self, place):
        """Of another app, or of the same one in the other environment."""
        def identity(one):
            return one.app["appAppleId"], one.environment
        return self.random.choice(
            [one for one in self.places if identity(one) != identity(place)])

    def request(self, place, now):
        return {
            "originalTransactionId": self.transaction(place),
            "appAppleId": place.app["appAppleId"], "productId": self.product(place),
            "userLocale": self.locale(place),
            "requestIdentifier": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
            "environment": place.environment,
            "signedDate": now - self.random.randrange(TRAVEL_MILLISECONDS),
        }

    def transaction(self, place):
        chance = self.random.random()
        if chance < 0.85:
            return self.random.choice(self.transactions[place.number])
        if chance < 0.92:
            return self.random.choice(self.random.choice(self.transactions))
        return str(self.random.randrange(10**15, 10**16))

    def product(self, place):
        chance = self.random.random()
        if chance < 0.94:
            return self.random.choices(sorted(place.products), [2, 1, 6, 2, 4])[0]
        other = self.random.choice(self.places)
        return self.random.choice([*other.products, "unknown.product", "PRO", "café"])

    def locale(self, place):
        chance = self.random.random()
        if chance < 0.4:
            texts = self.random.choice(place.app["messages"])["locales"]
            return self.random.choice(texts)
        if chance < 0.6:
            return self.random.choice(decisions_world.LOCALES)
        return self.random.choice(NEAR_LOCALES if chance < 0.95 else ODD_LOCALES)


class Wire:
    """One connection that is kept."""

    def __init__(self, origin):
        parts = urllib.parse.urlsplit(origin)
        self.host = parts.netloc
        self.address = (parts.hostname, parts.port)
        self.stream = None

    def post(self, path, body):
        """The status and the body."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")
        if self.stream is None:
            self.stream = socket.create_connection(self.address, timeout=60).makefile("rwb")
        self.stream.write(head.encode() + body)
        self.stream.flush()
        status = int(self.stream.readline().split()[1])
        headers = {}
        while (line := self.stream.readline().strip()):
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        answer = self.stream.read(int(headers.get("content-length", "0"))).decode()
        if headers.get("connection", "").lower() == "close":
            self.stream.close()
            self.stream = None
        return status, answer


def ask(world, places, origin, paths, count, log):
    """Asks `count` genuine requests at the least, in the order of the world's instants, and writes
    a line for each answer."""
    app_store, control = AppStore(world), Wire(origin)
    instants = world["instants"]
    share = -(-count * 103 // 100 // len(instants))
    requests = Requests(places, world["seed"])
    wires = [Wire(origin) for _ in range(SENDERS)]

    def send(sender, lines):
        for line in lines:
            body = app_store.body(line["kind"], line["request"])
            status, answer = wires[sender].post(paths[line["place"]], body)
            line["status"], line["body"] = status, answer
        return lines

    def bring_about(path, body):
        status, _ = control.post(path, body)
        if status != 200:
            raise SystemExit(f"decisions: {path} answers with status {status}")

    phases = [(now, *phase) for now in instants for phase in conditions.phases(share)]
    with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
        for now, number, situation in phases:
            bring_about(f"/clock/{now}", b"")
            bring_about("/conditions", json.dumps(situation).encode())
            lines = [requests.make(now, situation) for _ in range(number)]
            for done in pool.map(send, range(SENDERS), (lines[n::SENDERS] for n in range(SENDERS))):
                log.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in done)
