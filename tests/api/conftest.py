# SPDX-License-Identifier: Apache-2.0
"""What several files of these tests stand on: the site for the browser, and a browser that a file shares."""
import pytest

from lib.browsing import ON
from lib.pages import Site
from lib.server import Server


@pytest.fixture(scope="module")
def site():
    with Site() as site:
        yield site


@pytest.fixture(scope="module")
def browser_server():
    with Server(policy=ON) as server:
        yield server
        server.check_silence()


@pytest.fixture
def browser(browser_server, site):
    """A client whose page is empty and whose console was read."""
    site.forget()
    client = browser_server.client(timeout=60)
    client.call("browser.navigate", url="about:blank", wait_until="load")
    client.call("browser.console")
    yield client
    assert browser_server.is_running(), browser_server.stderr()[-4000:]
