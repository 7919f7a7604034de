"""Decodes our pictures, and what flattening made of them, with a decoder that is not ours.

Usage: pictures.py FILE
Each line of FILE: {"png": base64, "flattened": base64 or absent, width, height, bitDepth, colorType,
isInterlaced, hasAlphaChannel, hasTransparentPixel}. Exits non-zero on any difference, and when
nothing was flattened.
"""

import base64
import io
import sys

from PIL import Image

from rows import judge_file

flattened = 0


def decoded(text):
    image = Image.open(io.BytesIO(base64.b64decode(text)))
    image.load()
    return image


def has_alpha(image):
    return image.mode in ("LA", "RGBA") or "transparency" in image.info


def pixels(image):
    """As 8-bit RGBA. Pillow leaves greyscale of 16 bits alone where it has no alpha, low byte first."""
    if image.mode == "I;16":
        image = Image.frombytes("L", image.size, image.tobytes()[1::2])
    return image.convert("RGBA").tobytes()


def judge(row):
    global flattened
    image = decoded(row["png"])
    if image.size != (row["width"], row["height"]):
        return f"size {image.size}"
    if has_alpha(image) != row["hasAlphaChannel"]:
        return f"alpha channel: mode {image.mode}, {image.info}"
    if bool(image.info.get("interlace")) != row["isInterlaced"]:
        return f"interlace {image.info.get('interlace')}"
    if image.mode != "I;16":
        is_transparent = image.convert("RGBA").getchannel("A").getextrema()[0] < 255
        if is_transparent != row["hasTransparentPixel"]:
            return f"transparent pixel: {is_transparent}"
    if "flattened" not in row:
        return None
    flat = decoded(row["flattened"])
    flattened += 1
    if has_alpha(flat):
        return f"flattened has alpha: mode {flat.mode}, {flat.info}"
    return None if pixels(flat) == pixels(image) else "flattened has other pixels"


if __name__ == "__main__":
    judge_file(sys.argv[1], judge, lambda: flattened)
