#!/usr/bin/env python3
"""Lets Apple's own client call the simulator's side of the Retention Messaging API.

Every method that the client has for it must succeed where it should, and meet Apple's typed error
where it should not. Nothing of the client is changed but the host that it calls.

    retention_messaging.py PATH-OF-app-store-simulator

Needs `app-store-server-library` and `pillow` from PyPI. Exits 0 where all agree, else 1 with what
does not.
"""

import inspect
import io
import json
import sys
import urllib.request
import uuid

from appstoreserverlibrary import api_client
from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.BulletPoint import BulletPoint
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.HeaderPosition import HeaderPosition
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.ImageState import ImageState
from appstoreserverlibrary.models.MessageState import MessageState
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.PerformanceTestStatus import PerformanceTestStatus
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from PIL import Image

from simulator import Simulator

APP, BUNDLE, PRODUCT, LOCALE = 42, "com.example", "monthly", "en-US"
URL = "https://holdfast.example/realtime/token"
found = []
called = set()


class Developer:
    """Apple's client for one environment."""

    def __init__(self, simulator, key, environment, bundle=BUNDLE):
        port = simulator.ready["productionPort"]
        if environment == Environment.SANDBOX:
            port = simulator.ready["sandboxPort"]
        self.client = AppStoreServerAPIClient(key, "KEY1", "issuer-1", bundle, environment)
        self.client._base_url = f"http://127.0.0.1:{port}"
        self.name = environment.value

    def done(self, method, *arguments):
        called.add(method)
        try:
            return getattr(self.client, method)(*arguments)
        except APIException as error:
            note(f"{self.name} {method}: {error.http_status_code} {error.raw_api_error}")
            return None

    def refused(self, expected, method, *arguments):
        called.add(method)
        try:
            getattr(self.client, method)(*arguments)
            note(f"{self.name} {method}: done, expected {expected.name}")
        except APIException as error:
            status = expected.value // 10_000
            if (error.api_error, error.http_status_code) != (expected, status):
                note(f"{self.name} {method}: {error.http_status_code} {error.raw_api_error}, "
                     f"expected {expected.name}")
            elif not error.error_message:
                note(f"{self.name} {method}: {expected.name} without a message")

    def turned_away(self, status, method, *arguments):
        """Without an error code: the answer is not the API's."""
        try:
            getattr(self.client, method)(*arguments)
            note(f"{self.name} {method}: done, expected {status}")
        except APIException as error:
            if (error.http_status_code, error.raw_api_error) != (status, None):
                note(f"{self.name} {method}: {error.http_status_code} {error.raw_api_error}, "
                     f"expected {status} alone")


def note(line):
    found.append(line)


def check(is_right, what):
    if not is_right:
        note(what)


def png(width, height, mode="RGB"):
    file = io.BytesIO()
    Image.new(mode, (width, height)).save(file, "PNG")
    return file.getvalue()


def message(header="Stay", body="Half the price.", **more):
    return UploadMessageRequestBody(header=header, body=body, **more)


def with_bullets(count, image):
    point = BulletPoint(text="New each week", imageIdentifier=image, altText="A star")
    body = message()
    # Around the client's own check of the number: the server's is wanted.
    object.__setattr__(body, "bulletPoints", [point] * count)
    return body


def images(developer):
    """Uploads one of each size and gives their identifiers."""
    full, bullet = uuid.uuid4(), uuid.uuid4()
    developer.done("upload_image", full, png(3840, 160))
    developer.done("upload_image", bullet, png(1024, 1024), ImageSize.BULLET_POINT)
    listed = developer.done("get_image_list").imageIdentifiers
    state = {(one.imageIdentifier, one.imageSize, one.imageState) for one in listed}
    check(state == {
        (full, ImageSize.FULL_SIZE, ImageState.APPROVED),
        (bullet, ImageSize.BULLET_POINT, ImageState.APPROVED)}, f"images listed: {state}")
    refused = developer.refused
    refused(APIError.IMAGE_ALREADY_EXISTS, "upload_image", full, png(3840, 160))
    for wrong in (png(3840, 159), png(3840, 2161), png(3839, 160), png(3840, 160, "RGBA"), b"GIF89a"):
        refused(APIError.INVALID_IMAGE, "upload_image", uuid.uuid4(), wrong)
    refused(APIError.INVALID_IMAGE, "upload_image", uuid.uuid4(), png(1024, 1024))
    refused(APIError.IMAGE_NOT_FOUND, "delete_image", uuid.uuid4())
    return full, bullet


def messages(developer, full, bullet):
    """Uploads messages of each shape and gives the identifiers of a text and of the richest."""
    text, rich = uuid.uuid4(), uuid.uuid4()
    developer.done("upload_message", text, message())
    picture = UploadMessageImage(imageIdentifier=full, altText="A lake")
    point = BulletPoint(text="New each week", imageIdentifier=bullet, altText="A star")
    developer.done("upload_message", rich, message(
        image=picture, headerPosition=HeaderPosition.ABOVE_IMAGE, bulletPoints=[point] * 5))
    listed = developer.done("get_message_list").messageIdentifiers
    state = {(one.messageIdentifier, one.messageState) for one in listed}
    check(state == {(text, MessageState.APPROVED), (rich, MessageState.APPROVED)},
          f"messages listed: {state}")

    def refused(error, body):
        developer.refused(error, "upload_message", uuid.uuid4(), body)

    developer.refused(APIError.MESSAGE_ALREADY_EXISTS, "upload_message", text, message())
    # The client counts code points, the server UTF-16 units: 40 of these are 80.
    refused(APIError.HEADER_TOO_LONG, message(header="🌊" * 40))
    refused(APIError.BODY_TOO_LONG, message(body="🌊" * 80))
    refused(APIError.ALT_TEXT_TOO_LONG, message(
        image=UploadMessageImage(imageIdentifier=full, altText="🌊" * 80)))
    refused(APIError.BAD_REQUEST_BULLET_POINT_TEXT_TOO_LONG, message(bulletPoints=[
        BulletPoint(text="🌊" * 40, imageIdentifier=bullet, altText="A star")]))
    refused(APIError.BAD_REQUEST_TOO_MANY_BULLET_POINTS, with_bullets(6, bullet))
    refused(APIError.BAD_REQUEST_ABOVE_IMAGE_REQUIRES_AN_IMAGE,
            message(headerPosition=HeaderPosition.ABOVE_IMAGE))
    refused(APIError.BAD_REQUEST_IMAGE_SIZE, message(
        image=UploadMessageImage(imageIdentifier=bullet, altText="A lake")))
    refused(APIError.IMAGE_NOT_FOUND, message(
        image=UploadMessageImage(imageIdentifier=uuid.uuid4(), altText="A lake")))
    developer.refused(APIError.IMAGE_IN_USE, "delete_image", full)
    developer.refused(APIError.MESSAGE_NOT_FOUND, "delete_message", uuid.uuid4())
    return text, rich


def defaults(developer, text, rich):
    def entry(identifier):
        return DefaultConfigurationRequest(messageIdentifier=identifier)

    developer.refused(APIError.DEFAULT_MESSAGE_NOT_FOUND, "get_default_message", PRODUCT, LOCALE)
    developer.done("configure_default_message", PRODUCT, LOCALE, entry(text))
    developer.done("configure_default_message", PRODUCT, LOCALE, entry(rich))
    answer = developer.done("get_default_message", PRODUCT, LOCALE)
    check(answer.messageIdentifier == rich, f"default message: {answer}")
    developer.refused(
        APIError.INVALID_PRODUCT_ID, "configure_default_message", "x", LOCALE, entry(text))
    developer.refused(
        APIError.INVALID_LOCALE, "configure_default_message", PRODUCT, "en-us", entry(text))
    developer.refused(APIError.MESSAGE_NOT_FOUND, "configure_default_message", PRODUCT, LOCALE,
                      entry(uuid.uuid4()))
    developer.done("delete_default_message", PRODUCT, LOCALE)


def review(simulator, production):
    """In production nothing is approved by itself."""
    full, text, rich = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    production.done("upload_image", full, png(3840, 160))
    production.done("upload_message", text, message())
    production.done("upload_message", rich, message(
        image=UploadMessageImage(imageIdentifier=full, altText="A lake")))
    listed = production.done("get_message_list").messageIdentifiers
    check({one.messageState for one in listed} == {MessageState.PENDING}, "production approves")

    def configure(identifier):
        return (PRODUCT, LOCALE, DefaultConfigurationRequest(messageIdentifier=identifier))

    method = "configure_default_message"
    production.refused(APIError.MESSAGE_NOT_APPROVED, method, *configure(text))
    for identifier in (text, rich):
        simulator.control(
            "PUT", f"/apps/{APP}/Production/review/{identifier}", {"state": "APPROVED"})
    production.done(method, *configure(text))
    production.refused(APIError.IMAGE_NOT_APPROVED, method, *configure(rich))


def realtime(simulator, sandbox, production):
    for developer in (sandbox, production):
        developer.refused(APIError.REALTIME_URL_NOT_FOUND, "get_realtime_url")
    sandbox.refused(APIError.BAD_REQUEST_REALTIME_URL, "configure_realtime_url",
                    RealtimeUrlRequest(realtimeURL="http://holdfast.example"))
    sandbox.done("configure_realtime_url", RealtimeUrlRequest(realtimeURL=URL))
    answer = sandbox.done("get_realtime_url")
    check(answer.realtimeURL == URL, f"realtime URL: {answer}")
    production.refused(APIError.FORBIDDEN_NO_PASSING_TEST, "configure_realtime_url",
                       RealtimeUrlRequest(realtimeURL=URL))
    performance(simulator, sandbox)
    production.done("configure_realtime_url", RealtimeUrlRequest(realtimeURL=URL))
    for developer in (sandbox, production):
        developer.done("delete_realtime_url")


def performance(simulator, sandbox):
    begin = "initiate_performance_test"
    for identifier, error in (
            ("11", APIError.TRANSACTION_ID_IS_NOT_ORIGINAL_TRANSACTION_ID_ERROR),
            ("111", APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR),
            ("2", APIError.FAMILY_TRANSACTION_NOT_SUPPORTED_ERROR),
            ("9", APIError.INVALID_TRANSACTION_ID),
            ("", APIError.INVALID_PERFORMANCE_TEST_REQUEST)):
        sandbox.refused(error, begin, PerformanceTestRequest(originalTransactionId=identifier))
    simulator.control("PUT", f"/apps/{APP}/Sandbox/performance-tests", {"outcomes": [
        {"result": "FAIL", "pendingPolls": 1, "successRate": 90, "failures": {"TIMED_OUT": 10}},
        {"result": "PASS"}]})
    request = PerformanceTestRequest(originalTransactionId="1")
    first = sandbox.done(begin, request)
    sandbox.refused(APIError.EXISTING_PERFORMANCE_TEST_RUN, begin, request)
    get = "get_performance_test_results"
    pending = sandbox.done(get, first.requestId)
    check(pending.result == PerformanceTestStatus.PENDING and pending.numPending > 0
          and pending.config == first.config and pending.target == URL, f"pending: {pending}")
    failed = sandbox.done(get, first.requestId)
    check(failed.result == PerformanceTestStatus.FAIL and failed.successRate == 90
          and failed.failures == {SendAttemptResult.TIMED_OUT: 10}
          and failed.responseTimes.p99 is not None, f"failed: {failed}")
    second = sandbox.done(begin, request)
    passed = sandbox.done(get, second.requestId)
    check(passed.result == PerformanceTestStatus.PASS, f"passed: {passed}")
    sandbox.refused(APIError.INVALID_REQUEST_ID, get, "x")
    sandbox.refused(APIError.PERFORMANCE_TEST_RUN_NOT_FOUND, get, str(uuid.uuid4()))


def limits(simulator, sandbox):
    """What is refused for its number, and what breaks on the way."""
    simulator.control("PUT", "/limits", {"imagesLimit": 2, "messagesLimit": 2})
    sandbox.refused(APIError.MAXIMUM_NUMBER_OF_IMAGES_REACHED, "upload_image", uuid.uuid4(),
                    png(3840, 160))
    sandbox.refused(
        APIError.MAXIMUM_NUMBER_OF_MESSAGES_REACHED, "upload_message", uuid.uuid4(), message())
    simulator.control("PUT", "/limits", {"callsPerHour": {"getMessageList": 0}})
    sandbox.refused(APIError.RATE_LIMIT_EXCEEDED, "get_message_list")
    simulator.control("PUT", "/limits", {})
    simulator.control("PUT", "/faults", {"faults": [
        {"kind": "internalError", "times": 1}, {"kind": "html", "times": 1},
        {"kind": "unavailable", "times": 1}]})
    sandbox.refused(APIError.GENERAL_INTERNAL, "get_message_list")
    sandbox.turned_away(502, "get_message_list")
    sandbox.turned_away(503, "get_message_list")


def clear(sandbox, text, rich, full, bullet):
    for identifier in (text, rich):
        sandbox.done("delete_message", identifier)
        sandbox.refused(APIError.MESSAGE_NOT_FOUND, "delete_message", identifier)
    for identifier in (full, bullet):
        sandbox.done("delete_image", identifier)
    check(sandbox.done("get_image_list").imageIdentifiers == [], "images are left")
    check(sandbox.done("get_message_list").messageIdentifiers == [], "messages are left")


def strangers(simulator, key, state):
    other = ec.generate_private_key(ec.SECP256R1())
    Developer(simulator, private(other), Environment.SANDBOX).turned_away(401, "get_message_list")
    Developer(simulator, key, Environment.SANDBOX, "com.other").turned_away(401, "get_image_list")
    simulator.control(
        "PUT", f"/apps/{APP}/Sandbox",
        {**state, "environment": "Sandbox", "hasRetentionMessagingAccess": False})
    Developer(simulator, key, Environment.SANDBOX).turned_away(404, "get_realtime_url")


def private(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())


def app_state(key):
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {
        "appAppleId": APP, "bundleId": BUNDLE,
        "products": [{"productId": PRODUCT, "subscriptionGroup": "group"}],
        "offerKeys": [
            {"keyId": "KEY1", "issuerId": "issuer-1", "publicKeyPEM": public.decode()}],
        "transactions": [
            {"originalTransactionId": "1", "transactionIds": ["11"], "appTransactionId": "111"},
            {"originalTransactionId": "2", "isFamilyShared": True}],
    }


def methods():
    """The methods of Apple's client whose paths are under /messaging."""
    members = inspect.getmembers(api_client.AppStoreServerAPIClient, inspect.isfunction)
    return {
        name for name, body in members
        if not name.startswith("_") and "/inApps/v1/messaging" in inspect.getsource(body)}


def exercise(simulator):
    key = ec.generate_private_key(ec.SECP256R1())
    state = app_state(key)
    for environment in ("Production", "Sandbox"):
        simulator.control(
            "PUT", f"/apps/{APP}/{environment}", {**state, "environment": environment})
    sandbox = Developer(simulator, private(key), Environment.SANDBOX)
    production = Developer(simulator, private(key), Environment.PRODUCTION)
    full, bullet = images(sandbox)
    text, rich = messages(sandbox, full, bullet)
    defaults(sandbox, text, rich)
    review(simulator, production)
    realtime(simulator, sandbox, production)
    limits(simulator, sandbox)
    clear(sandbox, text, rich, full, bullet)
    strangers(simulator, private(key), state)
    calls = json.loads(simulator.control("GET", "/api-calls"))
    check(calls["counts"]["overLimit"] == 1, f"over the limit: {calls['counts']}")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    simulator = Simulator(sys.argv[1])
    try:
        exercise(simulator)
    finally:
        code = simulator.stop()
    if code != 0:
        note(f"the simulator ended with exit code {code}")
    for name in sorted(methods() - called):
        note(f"{name} was not called")
    for line in found:
        print(line)
    if not called:
        raise SystemExit("nothing was called")
    print(f"Apple's client calls {len(called)} methods of the Retention Messaging API: "
          + ("the simulator disagrees" if found else "the simulator agrees"))
    sys.exit(1 if found else 0)


main()
