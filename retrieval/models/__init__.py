"""The embedders, and the tokenizer that says where a text may be cut."""

import os

# ONNX Runtime sends events to its maker and keeps an identifier of the user in the cache folder, from its import on,
# unless the C library's environment has this (the privacy page in its package).
os.putenv("ORT_DISABLE_TELEMETRY", "1")
