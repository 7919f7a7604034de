#!/usr/bin/env python3
"""Lets Apple's own library read what the simulator tells and answers of subscriptions.

Apple's verifier must believe every notification and every document in it, and its models must
know each type, subtype and value; every type and subtype that the library knows must come. Apple's
client must page through histories and meet Apple's typed errors. Nothing of the library is changed
but the host that it calls.

    app_store_server.py PATH-OF-app-store-simulator

Needs `app-store-server-library` from PyPI. Exits 0 where all agree, else 1 with what does not.
"""

import base64
import http.server
import json
import sys
import threading
import time
import urllib.error
import uuid

import attr
from appstoreserverlibrary.api_client import (
    APIError, APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion)
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import (
    Order, ProductType, TransactionHistoryRequest)
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from simulator import Simulator

APP, BUNDLE = 42, "com.example"
DAY = 86_400_000
# Events lie in the past, one day after the other, so that Apple's client and the simulator keep
# one clock. Weekly periods make room for all of them.
START = int(time.time() * 1000) - 150 * DAY
# Values that Apple's changelog or video has and the library does not.
NEWER = {"offerType": {5}, "subtype": {"CREATED", "ACTIVE_TOKEN_REMINDER"}}
NEWER_MEMBERS = {"previousOriginalTransactionId", "tokenType", "tokenExpirationDate"}
found = []


def note(line):
    found.append(line)


def check(is_right, what):
    if not is_right:
        note(what)


class Receiver(http.server.ThreadingHTTPServer):
    """Takes notifications and keeps them."""

    request_queue_size = 64
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.payloads = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.payloads.append(body["signedPayload"])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def product(name, level, **more):
    price = {"storefront": "DEU", "currency": "EUR", "milliunits": 5_990}
    return {
        "productId": name, "subscriptionGroup": "group", "level": level, "period": "P1W",
        "prices": [price], **more}


PRODUCTS = [
    product("pro", 1),
    product("plus", 2, offers=[
        {"offerType": 1}, {"offerType": 2, "offerIdentifier": "half"},
        {"offerType": 3, "offerIdentifier": "code", "discountType": "PAY_UP_FRONT"},
        {"offerType": 4, "offerIdentifier": "back", "discountType": "PAY_AS_YOU_GO"},
        {"offerType": 5, "offerIdentifier": "stay", "periods": 3}]),
    product("year", 2, billingPlans=["MONTHLY"], period="P1Y"),
]

# What happens to each customer, a day after the other; a number is days that pass.
LIVES = [
    [{"kind": "buy", "productId": "plus", "offerType": 1}, 6, {"kind": "renew"},
     {"kind": "disableAutoRenew"}, {"kind": "enableAutoRenew"},
     {"kind": "redeemOffer", "offerType": 5, "offerIdentifier": "stay"}, 7, {"kind": "renew"},
     {"kind": "disableAutoRenew"}, 22, {"kind": "expire", "reason": "VOLUNTARY"},
     {"kind": "redeemOffer", "offerType": 4, "offerIdentifier": "back"}],
    [{"kind": "buy", "productId": "plus"}, 6, {"kind": "failRenewal", "days": 3}, 4,
     {"kind": "endGracePeriod"}, {"kind": "recover"}, 6, {"kind": "failRenewal"},
     {"kind": "expire", "reason": "BILLING_RETRY"}, {"kind": "resubscribe"}],
    [{"kind": "buy", "productId": "plus", "offerType": 3, "offerIdentifier": "code"},
     {"kind": "upgrade", "productId": "pro"}, {"kind": "downgrade", "productId": "plus"},
     {"kind": "revertDowngrade"},
     {"kind": "redeemOffer", "productId": "plus", "offerType": 2, "offerIdentifier": "half"},
     7, {"kind": "renew"}, {"kind": "upgrade", "productId": "pro"},
     {"kind": "proposePriceIncrease", "price": 6_990}, {"kind": "acceptPriceIncrease"},
     7, {"kind": "renew"}, {"kind": "proposePriceIncrease", "price": 7_990}, 8,
     {"kind": "expire", "reason": "PRICE_INCREASE"}],
    [{"kind": "buy", "productId": "year", "billingPlanType": "MONTHLY"},
     {"kind": "requestRefund", "reason": "UNINTENDED_PURCHASE"}, {"kind": "declineRefund"},
     {"kind": "extendRenewal", "days": 10}, {"kind": "refund", "percentage": 40_000},
     {"kind": "reverseRefund"}, {"kind": "refund"}, {"kind": "failExtension"}],
    [{"kind": "buy", "productId": "plus"}, {"kind": "changeMetadata"},
     {"kind": "changePrice", "price": 1_990}, {"kind": "migrate"}, 8,
     {"kind": "expire", "reason": "PRODUCT_NOT_FOR_SALE"}],
]
NOTICES = [
    {"type": "ONE_TIME_CHARGE", "productId": "coins"}, {"type": "RESCIND_CONSENT"},
    {"type": "RENEWAL_EXTENSION", "subtype": "SUMMARY"},
    {"type": "EXTERNAL_PURCHASE_TOKEN", "subtype": "UNREPORTED"},
    {"type": "EXTERNAL_PURCHASE_TOKEN", "subtype": "CREATED"},
    {"type": "EXTERNAL_PURCHASE_TOKEN", "subtype": "ACTIVE_TOKEN_REMINDER"},
]


class World:
    def __init__(self, simulator):
        self.simulator = simulator
        self.app = f"/apps/{APP}/Production"
        key = ec.generate_private_key(ec.SECP256R1())
        self.private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        for environment in ("Production", "Sandbox"):
            simulator.control("PUT", f"/apps/{APP}/{environment}", {
                "appAppleId": APP, "environment": environment, "bundleId": BUNDLE,
                "products": PRODUCTS, "offerKeys": [{
                    "keyId": "KEY1", "issuerId": "issuer-1", "publicKeyPEM": public.decode()}]})
        self.client = AppStoreServerAPIClient(
            self.private, "KEY1", "issuer-1", BUNDLE, Environment.PRODUCTION)
        self.client._base_url = f"http://127.0.0.1:{simulator.ready['productionPort']}"
        root = simulator.control("GET", "/root-certificate")
        self.verifier = SignedDataVerifier(
            [root], False, Environment.PRODUCTION, BUNDLE, APP)

    def post(self, path, body):
        try:
            return json.loads(self.simulator.control("POST", self.app + path, body))
        except urllib.error.HTTPError as error:
            note(f"{body}: {error.read().decode()}")
            return None

    def refused(self, expected, method, *arguments):
        try:
            getattr(self.client, method)(*arguments)
            note(f"{method}: done, expected {expected.name}")
        except APIException as error:
            if error.api_error != expected:
                note(f"{method}: {error.http_status_code} {error.raw_api_error}, "
                     f"expected {expected.name}")


def live(world):
    """Lets every life happen; gives the originalTransactionId of each customer."""
    customers = []
    for life in LIVES:
        at, customer = START, None
        for step in life:
            if isinstance(step, int):
                at += step * DAY
                continue
            at += DAY
            event = {**step, "at": at}
            if event["kind"] == "buy":
                order = {"storefront": "DEU", "buy": event,
                         "appAccountToken": str(uuid.uuid4())}
                report = world.post("/subscribers", order)
                customer = report["subscription"]["originalTransactionId"]
                customers.append(customer)
            else:
                world.post(f"/subscribers/{customer}/events", event)
    family = world.post("/subscribers", {
        "isFamilyShared": True, "buy": {"kind": "buy", "productId": "plus", "at": START}})
    member = family["subscription"]["originalTransactionId"]
    world.post(f"/subscribers/{member}/events", {"kind": "revoke", "at": START + DAY})
    for notice in NOTICES:
        world.post("/notices", {**notice, "at": START})
    return customers


def values(model):
    """Every raw value of a decoded document whose type the library does not know."""
    for field in attr.fields(type(model)):
        value = getattr(model, field.name)
        if attr.has(type(value)):
            yield from values(value)
        if field.name.startswith("raw") and value is not None:
            name = field.name[3].lower() + field.name[4:]
            if getattr(model, name) is None and value not in NEWER.get(name, ()):
                yield f"{name} {value!r}"


def strangers(model, members):
    """The members of a document that the library's model has no field for."""
    names = {field.name for field in attr.fields(type(model))}
    for name, value in members.items():
        if name not in names | NEWER_MEMBERS:
            yield name
        elif isinstance(value, dict):
            yield from strangers(getattr(model, name), value)


def plain(compact):
    payload = compact.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def believed(world, payload):
    """What Apple's library reads of one notification, and of all that is inside it."""
    verifier = world.verifier
    notification = verifier.verify_and_decode_notification(payload)
    documents = [(notification, payload)]
    data, app = notification.data, notification.appData
    if data is not None and data.signedTransactionInfo:
        signed = data.signedTransactionInfo
        documents.append((verifier.verify_and_decode_signed_transaction(signed), signed))
    if data is not None and data.signedRenewalInfo:
        signed = data.signedRenewalInfo
        documents.append((verifier.verify_and_decode_renewal_info(signed), signed))
    if app is not None:
        signed = app.signedAppTransactionInfo
        documents.append((verifier.verify_and_decode_app_transaction(signed), signed))
    for document, signed in documents:
        for value in values(document):
            note(f"{notification.rawNotificationType}: Apple's library knows no {value}")
        for name in strangers(document, plain(signed)):
            note(f"{notification.rawNotificationType}: Apple's library has no field {name}")
    return notification


def notifications(world, receiver, expected):
    deadline = time.monotonic() + 60
    while len(receiver.payloads) < expected and time.monotonic() < deadline:
        time.sleep(0.05)
    check(len(receiver.payloads) == expected,
          f"{len(receiver.payloads)} notifications came, not {expected}")
    read = []
    for payload in list(receiver.payloads):
        try:
            read.append(believed(world, payload))
        except VerificationException as error:
            note(f"a notification is not believed: {error.status}")
    types = {one.notificationType for one in read}
    subtypes = {one.subtype for one in read}
    # A test notification is asked for later.
    for missing in set(NotificationTypeV2) - types - {NotificationTypeV2.TEST}:
        note(f"no notification of type {missing.value}")
    for missing in set(Subtype) - subtypes:
        note(f"no notification of subtype {missing.value}")
    check(len({one.notificationUUID for one in read}) == len(read), "a notificationUUID repeats")
    return read


def history(world, read):
    """All pages, the same as what was sent, in the order of making."""
    request = NotificationHistoryRequest(
        startDate=START, endDate=int(time.time() * 1000) + DAY)
    seen, token = [], None
    while True:
        page = world.client.get_notification_history(token, request)
        check(len(page.notificationHistory) <= 20, "a page of over twenty")
        for item in page.notificationHistory:
            seen.append(believed(world, item.signedPayload).notificationUUID)
            check([one.sendAttemptResult for one in item.sendAttempts]
                  == [SendAttemptResult.SUCCESS], f"attempts: {item.sendAttempts}")
        token = page.paginationToken
        if not page.hasMore:
            break
    check(sorted(seen) == sorted(one.notificationUUID for one in read),
          "the history holds other notifications than were sent")
    refused = world.refused
    refused(APIError.START_DATE_TOO_FAR_IN_PAST, "get_notification_history", None,
            NotificationHistoryRequest(startDate=START - 60 * DAY, endDate=START))
    refused(APIError.START_DATE_AFTER_END_DATE, "get_notification_history", None,
            NotificationHistoryRequest(startDate=START, endDate=START - 1))
    refused(APIError.INVALID_PAGINATION_TOKEN, "get_notification_history", "x", request)
    refused(APIError.MULTIPLE_FILTERS_SUPPLIED, "get_notification_history", None,
            NotificationHistoryRequest(
                startDate=START, endDate=START, transactionId="1",
                notificationType=NotificationTypeV2.TEST))
    failures = world.client.get_notification_history(None, NotificationHistoryRequest(
        startDate=START, endDate=START + 150 * DAY, onlyFailures=True))
    check(failures.notificationHistory == [], "failures where there were none")


def transactions(world, customer):
    client, verifier = world.client, world.verifier
    version = GetTransactionHistoryVersion.V2
    first = client.get_transaction_history(
        customer, None, TransactionHistoryRequest(sort=Order.ASCENDING), version)
    read = [verifier.verify_and_decode_signed_transaction(one)
            for one in first.signedTransactions]
    check(len(read) >= 3 and not first.hasMore, f"{len(read)} transactions of the first customer")
    for one in read:
        for value in values(one):
            note(f"Apple's library knows no {value}")
    later = client.get_transaction_history(
        customer, first.revision, TransactionHistoryRequest(sort=Order.ASCENDING), version)
    check(later.signedTransactions == [], "a revision gives what it has given")
    none = client.get_transaction_history(
        customer, None, TransactionHistoryRequest(
            productTypes=[ProductType.CONSUMABLE], revoked=True), version)
    check(none.signedTransactions == [], "a subscription is a consumable")
    single = client.get_transaction_info(read[-1].transactionId)
    check(verifier.verify_and_decode_signed_transaction(single.signedTransactionInfo)
          .transactionId == read[-1].transactionId, "another transaction than was asked for")
    app = client.get_app_transaction_info(customer)
    check(verifier.verify_and_decode_app_transaction(app.signedAppTransactionInfo)
          .appTransactionId == read[0].appTransactionId, "another app transaction")
    statuses = client.get_all_subscription_statuses(customer, [Status.ACTIVE, Status.EXPIRED])
    last = statuses.data[0].lastTransactions[0]
    check(last.originalTransactionId == customer, "the status of another subscription")
    verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
    verifier.verify_and_decode_signed_transaction(last.signedTransactionInfo)
    world.refused(APIError.INVALID_TRANSACTION_ID, "get_transaction_info", "x")
    world.refused(APIError.TRANSACTION_ID_NOT_FOUND, "get_transaction_info", "1")
    world.refused(APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR, "get_transaction_info",
                  read[0].appTransactionId)
    world.refused(APIError.INVALID_REQUEST_REVISION, "get_refund_history", customer, "x")


def refunds(world, customer):
    page = world.client.get_refund_history(customer, None)
    read = [world.verifier.verify_and_decode_signed_transaction(one)
            for one in page.signedTransactions]
    check([one.revocationType.value for one in read] == ["REFUND_FULL"], f"refunds: {read}")


def test_notification(world, receiver):
    token = world.client.request_test_notification().testNotificationToken
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        status = world.client.get_test_notification_status(token)
        if status.sendAttempts:
            break
        time.sleep(0.05)
    read = believed(world, status.signedPayload)
    check(read.notificationType == NotificationTypeV2.TEST, "the test is of another type")
    check(status.signedPayload in receiver.payloads, "the test came otherwise than is told")
    world.refused(APIError.INVALID_TEST_NOTIFICATION_TOKEN, "get_test_notification_status", "x")
    world.refused(APIError.TEST_NOTIFICATION_NOT_FOUND, "get_test_notification_status",
                  f"{uuid.uuid4()}_1")


def exercise(simulator):
    world, receiver = World(simulator), Receiver()
    world.refused(APIError.SERVER_NOTIFICATION_URL_NOT_FOUND, "request_test_notification")
    simulator.control("PUT", "/origins", {"origins": [{
        "publicOrigin": "https://holdfast.example",
        "localOrigin": f"http://127.0.0.1:{receiver.server_port}"}]})
    simulator.control("PUT", f"{world.app}/notifications", {
        "url": "https://holdfast.example/notifications/token"})
    customers = live(world)
    expected = sum(not isinstance(step, int) for life in LIVES for step in life)
    read = notifications(world, receiver, expected + 2 + len(NOTICES))
    history(world, read)
    transactions(world, customers[0])
    refunds(world, customers[3])
    test_notification(world, receiver)
    return len(receiver.payloads)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    simulator = Simulator(sys.argv[1])
    count = 0
    try:
        count = exercise(simulator)
    finally:
        code = simulator.stop()
    if code != 0:
        note(f"the simulator ended with exit code {code}")
    for line in found:
        print(line)
    if count == 0:
        raise SystemExit("no notification came")
    print(f"Apple's library reads {count} notifications and the answers of the App Store Server "
          "API: " + ("the simulator disagrees" if found else "the simulator agrees"))
    sys.exit(1 if found else 0)


main()
