"""Verifies our promotional offer signatures (V2) with an implementation that is not ours.

Usage: offer_signatures.py FILE
Each line of FILE: {"jws": compact JWS, "publicKey": PEM, "keyId": text, "claims": {...}}.
Signature and form are judged by PyJWT; header and claim names are compared with what the creator in
Apple's own library makes. Exits non-zero on any difference, and when there was no row.
"""

import base64
import sys
import uuid

import jwt
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from rows import judge_file


def apples_own():
    """Header and claims of a signature that Apple's library makes."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    creator = PromotionalOfferV2SignatureCreator(pem, "KEY", "ISSUER", "com.example")
    text = creator.create_signature("product", "offer", "1")
    return jwt.get_unverified_header(text), jwt.decode(text, options={"verify_signature": False})


APPLE_HEADER, APPLE_CLAIMS = apples_own()


def judge(row):
    compact = row["jws"]
    header = jwt.get_unverified_header(compact)
    expected_header = {**APPLE_HEADER, "kid": row["keyId"]}
    if header != expected_header:
        return f"header {header}, Apple's library makes {expected_header}"
    signature = compact.split(".")[2]
    raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    if len(raw) != 64 or "=" in compact:
        return f"the signature has {len(raw)} bytes, or padding"
    try:
        claims = jwt.decode(
            compact,
            row["publicKey"],
            algorithms=["ES256"],
            audience=APPLE_CLAIMS["aud"],
            options={"require": ["iat", "iss", "aud"]},
        )
    except jwt.InvalidTokenError as error:
        return f"refused: {error!r}"
    if claims != row["claims"]:
        return f"claims {claims}, expected {row['claims']}"
    return differs_from_apple(claims)


def differs_from_apple(claims):
    if set(claims) != set(APPLE_CLAIMS):
        return f"claims {sorted(claims)}, Apple's library makes {sorted(APPLE_CLAIMS)}"
    for name, value in claims.items():
        if type(value) is not type(APPLE_CLAIMS[name]):
            return f"claim {name} is a {type(value).__name__}"
        if value == "":
            return f"claim {name} is empty"
    if str(uuid.UUID(claims["nonce"])) != claims["nonce"]:
        return "the nonce is no lower-case UUID"
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    judge_file(sys.argv[1], judge)
