"""Verifies our promotional offer signatures, of both versions, with implementations not ours.

Usage: offer_signatures.py FILE
Each line of FILE: {"jws": compact JWS, "publicKey": PEM, "keyId": text, "claims": {...}}, judged by
PyJWT, header and claim names compared with what the creator in Apple's own library makes; or
{"legacy": the object of an answer, "publicKey": PEM, and what it was asked for}, judged by
`cryptography` over the very text that the creator in Apple's own library signs.
Exits non-zero on any difference, and when there was no row of a version.
"""

import base64
import sys
import uuid

import jwt
from appstoreserverlibrary import promotional_offer
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

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


SEEN = {"jws": 0, "legacy": 0}
LEGACY = ["encodedSignature", "productId", "nonce", "timestamp", "keyId", "offerIdentifier"]


class Recorder:
    """A key in the place of the creator's own: it keeps what it is given to sign."""

    def sign(self, payload, _algorithm):
        self.payload = payload
        return b""


def apples_text(row, nonce):
    """The bytes that Apple's library signs for the same offer."""
    creator = object.__new__(promotional_offer.PromotionalOfferSignatureCreator)
    creator._signing_key = recorder = Recorder()
    creator._key_id, creator._bundle_id = row["keyId"], row["bundleId"]
    creator.create_signature(
        row["productId"],
        row["offerIdentifier"],
        row["appAccountToken"],
        uuid.UUID(nonce),
        row["timestamp"],
    )
    return recorder.payload


def judge(row):
    if "legacy" in row:
        SEEN["legacy"] += 1
        return judge_legacy(row)
    SEEN["jws"] += 1
    return judge_jws(row)


def judge_legacy(row):
    answer = row["legacy"]
    wanted = LEGACY + (["appAccountToken"] if row["appAccountToken"] else [])
    if sorted(answer) != sorted(wanted):
        return f"members {sorted(answer)}, expected {sorted(wanted)}"
    for name in wanted[1:]:
        if name != "nonce" and answer[name] != row[name]:
            return f"{name} is {answer[name]!r}, expected {row[name]!r}"
    if str(uuid.UUID(answer["nonce"])) != answer["nonce"]:
        return "the nonce is no lower-case UUID"
    try:
        der = base64.b64decode(answer["encodedSignature"], validate=True)
        if encode_dss_signature(*decode_dss_signature(der)) != der:
            return "the signature is no canonical DER"
        key = serialization.load_pem_public_key(row["publicKey"].encode())
        key.verify(der, apples_text(row, answer["nonce"]), ec.ECDSA(hashes.SHA256()))
    except (ValueError, InvalidSignature) as error:
        return f"refused: {error!r}"
    return None


def judge_jws(row):
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
    judge_file(sys.argv[1], judge, shown=lambda: min(SEEN.values()))
