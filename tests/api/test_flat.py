# SPDX-License-Identifier: Apache-2.0
"""Large bodies byte for byte, and memory that does not follow their size (R62); bench/run does the same with 1 GiB."""
import array
import hashlib

from lib.server import is_sanitized

SIZE = 64 << 20
GROWTH_KIB = 4096  # bench/run asks for 1 MiB on a machine of its own


def pattern():
    """Each word tells its place, so that a part that is missing, doubled or moved is seen."""
    return array.array("Q", range(SIZE // 8)).tobytes()


def test_64_mib_there_and_back_in_flat_memory(make_server):
    server = make_server("--max-upload-size", SIZE)
    client = server.client()
    data = pattern()
    wanted = hashlib.sha256(data).digest()
    client.send_bytes("files.upload_stream", b"first", path="warm")
    client.get_bytes("files.download_stream", path="warm")
    before = server.rss_kib()
    for form, body in (("whole", data), ("chunked", (data[at:at + 300001] for at in range(0, SIZE, 300001)))):
        assert client.send_bytes("files.upload_stream", body, path=form)["bytes"] == SIZE
        with open(server.base / form, "rb") as file:
            assert hashlib.file_digest(file, "sha256").digest() == wanted
        assert hashlib.sha256(client.get_bytes("files.download_stream", path=form).read()).digest() == wanted
    growth = server.peak_kib() - before
    assert is_sanitized() or growth <= GROWTH_KIB, f"{growth} KiB"
