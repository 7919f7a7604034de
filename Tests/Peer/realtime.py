"""The responder's job in Python, as a measure for it; see README.md."""

import argparse
import json
import os
import time

import uvicorn
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

MESSAGES = {
    "en": "0a6ad27e-8c34-5a55-9f3f-0f5b5d3c1a01",
    "ja": "0a6ad27e-8c34-5a55-9f3f-0f5b5d3c1a02",
    "es": "0a6ad27e-8c34-5a55-9f3f-0f5b5d3c1a03",
}


class RealtimeBody(BaseModel):
    signedPayload: str


class Message(BaseModel):
    messageIdentifier: str


class RealtimeAnswer(BaseModel):
    message: Message | None = None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--root", required=True, help="the root to trust, in DER")
    parser.add_argument("--bundle-id", required=True)
    parser.add_argument("--app-apple-id", type=int, required=True)
    parser.add_argument("--decisions", required=True, help="the file that decisions are appended to")
    return parser.parse_args()


def verifier(given):
    with open(given.root, "rb") as file:
        root = file.read()
    # With "online checks" the library remembers chains; the question to the network is left out.
    made = SignedDataVerifier(
        [root], True, Environment.PRODUCTION, given.bundle_id, given.app_apple_id
    )
    made._chain_verifier.check_ocsp_status = lambda *certificates: None
    return made


def application(given):
    app = FastAPI(openapi_url=None)
    checks = verifier(given)
    decisions = os.open(given.decisions, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    @app.get("/ready")
    async def ready():
        return {}

    # A plain function, as FastAPI's documentation has it for libraries that cannot be awaited: it
    # runs on a thread of the server's pool, and the loop goes on meanwhile.
    @app.post("/realtime/{token}", response_model_exclude_none=True)
    def realtime(token: str, body: RealtimeBody) -> RealtimeAnswer:
        began = time.perf_counter_ns()
        try:
            asked = checks.verify_and_decode_realtime_request(body.signedPayload)
        except VerificationException as error:
            raise HTTPException(status_code=401) from error
        now = time.time_ns() // 1_000_000
        if not now - 300_000 <= asked.signedDate <= now + 60_000:
            raise HTTPException(status_code=403)
        message = MESSAGES.get(asked.userLocale.split("-")[0], MESSAGES["en"])
        record = {
            "requestIdentifier": str(asked.requestIdentifier),
            "signedDate": asked.signedDate,
            "originalTransactionId": asked.originalTransactionId,
            "productId": asked.productId,
            "localeAsked": asked.userLocale,
            "messageIdentifier": message,
            "durationMicroseconds": (time.perf_counter_ns() - began) // 1_000,
        }
        os.write(decisions, (json.dumps(record) + "\n").encode())
        return RealtimeAnswer(message=Message(messageIdentifier=message))

    return app


if __name__ == "__main__":
    given = arguments()
    uvicorn.run(
        application(given), host="127.0.0.1", port=given.port, loop="uvloop", http="httptools",
        log_level="warning", access_log=False,
    )
