# SPDX-License-Identifier: Apache-2.0
"""abx for the shared server, with a local folder of its own."""
import pytest

from lib.abx import Abx


@pytest.fixture
def abx(server, tmp_path):
    return Abx(server.url, tmp_path, token=server.token)
