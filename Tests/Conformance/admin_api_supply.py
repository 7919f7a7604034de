"""What requests need so that they can succeed: real things of a tenant, made over the API itself.

`Supply` makes one of each kind once, and a new one where an operation uses it up.
"""

import secrets
import struct
import uuid
import zlib

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

ENVIRONMENTS = ("Production", "Sandbox")
SECONDS = 30
CSV_COLUMNS = ["message", "kind", "locale", "header", "body", "headerPosition", "imageId", "altText"] + [
    f"bullet{place}{part}" for place in range(1, 6) for part in ("Text", "ImageId", "AltText")
]


def png(width, height, shade, alpha=False):
    """A picture of one colour."""
    pixel = bytes([shade, 64, 128]) + (b"\xff" if alpha else b"")
    header = struct.pack(">IIBBBBB", width, height, 8, 6 if alpha else 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + pixel * width) * height)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    parts = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def private_key():
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def csv_of(rows):
    lines = [",".join(CSV_COLUMNS)] + [",".join(row + [""] * (len(CSV_COLUMNS) - len(row))) for row in rows]
    return "".join(line + "\r\n" for line in lines)


class Supply:
    def __init__(self, base_url, token):
        self.base_url = base_url.rstrip("/")
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        self.calls = 0
        self.ids = {}
        self.snapshots = {}
        # A key's identifier is the first part of its token.
        self.own_key = "key_" + token.split("_")[1]

    def call(self, method, path, body=None, **options):
        headers = {"Idempotency-Key": secrets.token_hex(16)} if method == "POST" else {}
        headers.update(options.pop("headers", {}))
        self.calls += 1
        response = self.session.request(
            method, self.base_url + path, json=body, headers=headers, timeout=SECONDS, **options)
        if not response.ok:
            raise SystemExit(f"set-up: {method} {path}: {response.status_code} {response.text}")
        return response.json() if response.content else None

    def fresh(self):
        return secrets.token_hex(6)

    def app_path(self, app=None):
        return f"/v1/apps/{app or self.ids['appId']}"

    # One of each, in the order in which they need one another.

    def make_all(self):
        ids = self.ids
        ids["clientId"] = self.client()
        ids["appId"] = self.app()
        ids["targetAppId"] = self.app()
        ids["draftAppId"] = self.app()
        self.draft(ids["draftAppId"])
        ids["productId"], ids["otherProductId"] = self.product(), self.product()
        ids["offerIdentifier"] = self.offer()
        ids["imageId"], ids["bulletImageId"] = self.image(3840, 160), self.image(1024, 1024, "BULLET_POINT")
        for kind in ("text", "switchPlan", "promotionalOffer"):
            ids[kind] = self.message(kind)
        ids["messageId"] = ids["text"]
        ids["credentialId"] = self.credential()
        ids["endpointId"] = self.call("POST", f"{self.app_path()}/endpoints", {})["id"]
        ids["apiKeyId"] = self.api_key()
        self.defaults(ids["productId"])
        self.rules()
        self.sync()
        row = {"message": "imported", "locale": "ja", "header": "h", "body": "b"}
        ids["jobId"] = self.call("POST", f"{self.app_path()}/localization-imports", {"rows": [row]})["id"]
        return self

    def rules(self):
        treatment = {"kind": "message", "messageId": self.ids["text"]}
        rule = {"id": "rule_01KB9S3A001HJG5B8YR0ZTPE4A", "name": "All", "when": {"all": []},
                "treatment": treatment}
        self.call("PUT", f"{self.app_path()}/rule-set-draft", {"schemaVersion": 2, "rules": [rule]})
        self.ids["version"] = self.call("POST", f"{self.app_path()}/rule-sets", {})["version"]
        empty = {"ruleSet": {"schemaVersion": 2, "rules": []}}
        self.ids["emptyVersion"] = self.call("POST", f"{self.app_path()}/rule-sets", empty)["version"]
        for environment in ENVIRONMENTS:
            # Nobody is at work who would have Apple approve what other rules name.
            path = f"{self.app_path()}/rule-sets/{self.ids['emptyVersion']}/publications?environment={environment}"
            published = self.call("POST", path, {})
            self.snapshots[environment] = published["snapshotNumber"]
            self.ids["publicationId"] = published["id"]
        self.ids["messageIdentifier"] = self.connect_message()

    def sync(self):
        path = f"{self.app_path()}/sync-runs"
        self.ids["runId"] = self.call("POST", path)["id"]
        body = {"originalTransactionId": "2000000123456789"}
        self.ids["testId"] = self.call("POST", f"{self.app_path()}/performance-tests", body)["id"]

    # A new one of a kind.

    def client(self):
        return self.call("POST", "/v1/clients", {"name": self.fresh()})["id"]

    def app(self):
        return self.call("POST", "/v1/apps", {
            "clientId": self.ids["clientId"], "name": "app", "bundleId": f"com.example.{self.fresh()}",
            "appAppleId": 1 + secrets.randbelow(2**62), "defaultLocale": "en-US"})["id"]

    def product(self):
        return self.call("POST", f"{self.app_path()}/products", {
            "productId": self.fresh(), "subscriptionGroup": "premium", "period": "P1M",
            "billingPlans": [{"billingPlanType": "MONTHLY", "prices": []}]})["productId"]

    def offer(self):
        path = f"{self.app_path()}/products/{self.ids['productId']}/offers"
        offer = {"offerIdentifier": self.fresh(), "kind": "promotional"}
        return self.call("POST", path, offer)["offerIdentifier"]

    def image(self, width, height, size="FULL_SIZE"):
        path = f"{self.app_path()}/images?imageSize={size}"
        # Of a colour of its own, or it would be an image that is there.
        data = png(width, height, secrets.randbelow(256)) if size == "BULLET_POINT" else png(
            width, 160 + secrets.randbelow(512), secrets.randbelow(256))
        return self.call("POST", path, headers={"Content-Type": "image/png"}, data=data)["id"]

    def message(self, kind="text"):
        message = self.call("POST", f"{self.app_path()}/messages", {"name": self.fresh(), "kind": kind})["id"]
        path = f"{self.app_path()}/messages/{message}/localizations/en-US"
        self.call("PUT", path, {"header": "Before you go", "body": "Stay."})
        return message

    def credential(self):
        return self.call("POST", f"{self.app_path()}/credentials", {
            "keyId": "2X9R4HXF34", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
            "privateKey": private_key()})["id"]

    def api_key(self):
        return self.call("POST", "/v1/api-keys", {"name": "spare", "scopes": ["clients:read"]})["id"]

    def token(self, scopes):
        return self.call("POST", "/v1/api-keys", {"name": "narrow", "scopes": scopes})["secret"]

    def connect_message(self):
        identifier = str(uuid.uuid4())
        body = {"messageIdentifier": identifier, "name": self.fresh()}
        self.call("POST", f"{self.app_path()}/app-store-connect-messages", body)
        return identifier

    def defaults(self, product):
        for environment in ENVIRONMENTS:
            path = f"{self.app_path()}/defaults?environment={environment}"
            body = {"messageId": self.ids["text"], "productIds": [product], "locales": ["en-US"]}
            self.call("POST", path, body)

    def draft(self, app):
        """Makes sure that the app has one; freezing takes it away."""
        path = f"{self.app_path(app)}/rule-set-draft"
        response = self.session.get(self.base_url + path, timeout=SECONDS)
        if response.status_code == 404:
            self.call("PUT", path, {"schemaVersion": 2, "rules": []})

    # What each path parameter of an operation is, and what is made for it to use up.

    def path_values(self, operation, environment):
        ids = {**self.ids, "locale": "en-US", "number": self.snapshots[environment],
               # Nobody is at work who would bring anything to Apple.
               "appleId": "0d5f1c3e-8a42-8b6d-9e10-5f4c7a2b6d88", "environment": "Sandbox",
               # Nobody notifies.
               "notificationUUID": "5b3a1c7e-2f64-4d0b-8c9a-7e1d2f3b4c5d",
               # Nobody asks, and so nothing is decided.
               "decisionId": "dec_AZrMnYAIfQOqD0nh_sVZYwEAAAGaza5oLD8LfH5dCkpXmkkPbx9_GhA"}
        made = {
            "deleteClient": lambda: {"clientId": self.client()},
            "deleteApp": lambda: {"appId": self.app()},
            "deleteProduct": lambda: {"productId": self.product()},
            "deleteOffer": lambda: {"offerIdentifier": self.offer()},
            "deleteImage": lambda: {"imageId": self.image(1024, 1024, "BULLET_POINT")},
            "deleteMessage": lambda: {"messageId": self.message()},
            "deleteLocalization": lambda: {"messageId": self.message()},
            "deleteMessageTarget": lambda: {"messageId": self.message()},
            "createPerformanceTest": lambda: {"appId": self.app()},
            # A retired one is not checked, and the next one retires the one before.
            "checkCredential": lambda: {"credentialId": self.credential()},
            "deleteApiKey": lambda: {"apiKeyId": self.api_key()},
            "createEndpoint": lambda: {"appId": self.app()},
            "getRuleSetDraft": lambda: {"appId": ids["draftAppId"]},
            "putRuleSetDraft": lambda: {"appId": ids["draftAppId"]},
            "copyRuleSet": lambda: {"version": ids["emptyVersion"]},
            "createPublication": lambda: {"version": ids["emptyVersion"]},
            "deleteAppStoreConnectMessage": lambda: {"messageIdentifier": self.connect_message()},
        }
        if operation == "deleteDefault":
            self.defaults(ids["otherProductId"])
            return {**ids, "productId": ids["otherProductId"]}
        if operation in ("createRuleSet", "deleteRuleSetDraft"):
            self.draft(ids["appId"])
        return {**ids, **made[operation]()} if operation in made else ids
