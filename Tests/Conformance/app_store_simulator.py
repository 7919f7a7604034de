#!/usr/bin/env python3
"""Holds the App Store simulator against Apple's own library.

The simulator must sign what Apple's verifier believes and take the offers that Apple's signer makes;
its planted errors must be errors to Apple's verifier as well.

    app_store_simulator.py PATH-OF-app-store-simulator

Needs `app-store-server-library` from PyPI. Exits 0 where all agree, else 1 with what does not.
"""

import http.server
import json
import sys
import threading
import time
import urllib.request
import uuid

from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from simulator import Simulator

APP, BUNDLE, PRODUCT, OFFER = 42, "com.example", "monthly", "half"
MESSAGE = str(uuid.uuid4())

# What Apple's verifier says of each planted error; freshness is a rule of the receiver's alone.
BELIEVED = {"genuine", "stale", "future"}
REFUSED = {
    "wrongApp", "wrongEnvironment", "xcode", "localTesting", "missingField", "transaction",
    "forgedSignature", "otherPayload", "otherChain", "oneCertificateChain", "leafMarkerMissing",
    "intermediateMarkerMissing",
}


class Responder(http.server.ThreadingHTTPServer):
    """Answers every request with an offer signed by Apple's library, V1 and V2 in turn."""

    request_queue_size = 64
    daemon_threads = True

    def __init__(self, verifier, key):
        super().__init__(("127.0.0.1", 0), Handler)
        self.verifier = verifier
        self.version2 = PromotionalOfferV2SignatureCreator(key, "KEY1", "issuer-1", BUNDLE)
        self.version1 = PromotionalOfferSignatureCreator(key, "KEY1", BUNDLE)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def offer(self, signed_payload):
        request = self.verifier.verify_and_decode_realtime_request(signed_payload)
        identifier = request.originalTransactionId
        if int(identifier) % 2:
            signature = self.version2.create_signature(PRODUCT, OFFER, identifier)
            return {"messageIdentifier": MESSAGE, "promotionalOfferSignatureV2": signature}
        nonce, now = uuid.uuid4(), int(time.time() * 1000)
        signature = self.version1.create_signature(PRODUCT, OFFER, "", nonce, now)
        fields = {
            "encodedSignature": signature, "productId": PRODUCT, "nonce": str(nonce),
            "timestamp": now, "keyId": "KEY1", "offerIdentifier": OFFER,
        }
        return {"messageIdentifier": MESSAGE, "promotionalOfferSignatureV1": fields}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"promotionalOffer": self.server.offer(body["signedPayload"])}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def app_state(public_key):
    return {
        "appAppleId": APP, "environment": "Production", "bundleId": BUNDLE,
        "realtimeURL": "https://holdfast.example/realtime/token",
        "products": [{"productId": PRODUCT, "subscriptionGroup": "group"}],
        "messages": [{
            "messageIdentifier": MESSAGE, "messageState": "APPROVED", "header": "Stay",
            "body": "Half the price."}],
        "defaults": [{"productId": PRODUCT, "locale": "ja", "messageIdentifier": MESSAGE}],
        "offerKeys": [{"keyId": "KEY1", "issuerId": "issuer-1", "publicKeyPEM": public_key}],
        "promotionalOffers": [{"productId": PRODUCT, "offerIdentifier": OFFER}],
    }


def offers_disagree(simulator, verifier):
    """Apple's library as responder: each of its offers must be shown."""
    key = ec.generate_private_key(ec.SECP256R1())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    responder = Responder(verifier, private)
    origin = {
        "publicOrigin": "https://holdfast.example",
        "localOrigin": f"http://127.0.0.1:{responder.server_port}"}
    simulator.control("PUT", f"/apps/{APP}/Production", app_state(public.decode()))
    simulator.control("PUT", "/origins", {"origins": [origin]})
    views = [{
        "originalTransactionId": str(number), "appAppleId": APP, "environment": "Production",
        "productId": PRODUCT, "userLocale": "ja-JP", "taps": True} for number in range(20)]
    report = json.loads(simulator.control("POST", "/page-views", {"pageViews": views}))
    responder.shutdown()
    # Lateness is no disagreement: this responder is slow, and the machine may be busy.
    timely = [one for one in report["results"] if one.get("fallbackReason") != "TIMED_OUT"]
    versions = {int(one["originalTransactionId"]) % 2 for one in timely}
    found = [] if versions == {0, 1} else ["no offer of V1, or none of V2, came in time"]
    return found + [
        f"offer {one['originalTransactionId']}: {one['explanation']}"
        for one in timely if one["display"].get("offerIdentifier") != OFFER]


def requests_disagree(simulator, verifier):
    """Apple's verifier must believe what is genuine and nothing else."""
    found = []
    for mutation in sorted(BELIEVED | REFUSED):
        order = {
            "appAppleId": APP, "environment": "Production", "originalTransactionId": "1",
            "productId": PRODUCT, "userLocale": "ja", "mutation": mutation,
            "field": "productId" if mutation == "missingField" else None}
        report = json.loads(
            simulator.control("POST", "/signed-requests", {"signedRequests": [order]}))
        payload = json.loads(report["signedRequests"][0]["body"])["signedPayload"]
        try:
            verifier.verify_and_decode_realtime_request(payload)
            is_believed = True
        except Exception:  # The library lets errors of its decoder through as they are.
            is_believed = False
        if is_believed != (mutation in BELIEVED):
            found.append(f"{mutation}: Apple's library {'believes' if is_believed else 'refuses'}")
    return found


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    simulator = Simulator(sys.argv[1])
    try:
        root = simulator.control("GET", "/root-certificate")
        verifier = SignedDataVerifier([root], False, Environment.PRODUCTION, BUNDLE, APP)
        found = offers_disagree(simulator, verifier) + requests_disagree(simulator, verifier)
    finally:
        code = simulator.stop()
    if code != 0:
        found.append(f"the simulator ended with exit code {code}")
    for line in found:
        print(line)
    print("the simulator and Apple's library " + ("disagree" if found else "agree"))
    sys.exit(1 if found else 0)


main()
