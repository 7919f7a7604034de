"""Lets Apple's own library verify and decode the requests that we sign as the App Store does.

Usage: signed_requests.py FILE
Each line of FILE: {"root": DER in Base64, "signedPayload": compact JWS, "environment":
"Production" or "Sandbox", "appAppleId": number, "expected": the seven fields, or the name of
Apple's refusal}.
Exits non-zero on any difference, and when no row was to be accepted.
"""

import base64
import sys

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

from rows import judge_file

accepted = 0


def judge(row):
    verifier = SignedDataVerifier(
        root_certificates=[base64.b64decode(row["root"], validate=True)],
        enable_online_checks=False,
        environment=Environment(row["environment"]),
        bundle_id="not.looked.at",
        app_apple_id=row["appAppleId"],
    )
    expected = row["expected"]
    try:
        request = verifier.verify_and_decode_realtime_request(row["signedPayload"])
    except VerificationException as error:
        if error.status.name == expected:
            return None
        return f"refused with {error.status.name}, expected {expected}: {error.__cause__!r}"
    if isinstance(expected, str):
        return f"accepted, expected {expected}"
    fields = {
        "originalTransactionId": request.originalTransactionId,
        "appAppleId": request.appAppleId,
        "productId": request.productId,
        "userLocale": request.userLocale,
        "requestIdentifier": str(request.requestIdentifier),
        "environment": request.rawEnvironment,
        "signedDate": request.signedDate,
    }
    if fields != expected:
        return f"decoded {fields}, expected {expected}"
    global accepted
    accepted += 1
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    judge_file(sys.argv[1], judge, lambda: accepted)
