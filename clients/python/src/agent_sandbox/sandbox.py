# SPDX-License-Identifier: Apache-2.0
"""A sandbox and the server in it: where it is reached, and how it is started."""
from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Union
from urllib.parse import urlsplit

from . import errors
from ._client import ServerClient
from ._generated import ServerCommand
from ._op import PathLike
from ._sync import wait_for

SERVER_PORT = 9000
BINARY = "agent-sandbox-server"
READY = re.compile(r"ready on ((?:http://|unix:)\S+)")
Runner = Callable[[Sequence[str]], Union[Awaitable[Any], Any]]


class Network:
    """Where the ports of a sandbox are reached from outside."""

    def __init__(self, host_of: Callable[[int], str], scheme: str) -> None:
        self._host_of, self._scheme = host_of, scheme

    def get_host(self, port: int) -> str:
        return self._host_of(port)

    def get_url(self, port: int) -> str:
        return f"{self._scheme}://{self._host_of(port)}"


class SandboxServer(ServerClient):
    """The client of a sandbox's server, with the members that start it."""

    def __init__(self, url: str, *, runner: Runner | None = None, **options: Any) -> None:
        super().__init__(url, **options)
        self._runner, self._groups = runner, dict[str, bool]()
        self._launch: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch: Path | None = None

    @property
    def register(self) -> Any:
        """The decorator @command of agent_sandbox.worker: makes a command of a function, for a worker of the template."""
        from .worker import command

        return command

    def enable_builtin(self, group: str, enabled: bool = True) -> None:
        """Switches a group of ops on or off from the next start on."""
        self._groups[group] = enabled

    async def start(
        self, *, binary: str = BINARY, listen: str | None = None, base_dir: PathLike | None = None, token: str | None = None,
        policy: Mapping[str, Any] | PathLike | None = None, options: Sequence[str] = (), env: Mapping[str, str] | None = None,
        within: float = 10.0,
    ) -> ServerClient:
        """
        Starts the server program and waits until it answers: here as a child of this program, or in the sandbox
        through the runner that Sandbox was given, which is called with the words of the command.
        """
        if self._process is not None:
            raise errors.ServerConfigError("the server runs already; restart() starts it anew")
        self._launch = {"binary": binary, "listen": listen, "base_dir": base_dir, "token": token, "policy": policy, "options": options,
                        "env": env, "within": within}
        if token is not None:
            self.caller.token = token
        if self._runner is not None:
            await self._start_there(within)
        else:
            self.caller.url = (await asyncio.to_thread(self._start_here, within)).rstrip("/")
        return self

    async def restart(self) -> ServerClient:
        """The same again, with what enable_builtin() has changed."""
        if not self._launch:
            raise errors.ServerConfigError("the server was not started by this object")
        await self.stop()
        self.caller.capabilities = None
        return await self.start(**self._launch)

    async def stop(self) -> None:
        """Ends the program that start() began here."""
        await self.caller.disconnect()
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, 30)
            except subprocess.TimeoutExpired:
                process.kill()
                await asyncio.to_thread(process.wait)
            if process.stdout:
                process.stdout.close()
        self._forget_scratch()

    def start_sync(self, **how: Any) -> ServerClient:
        return self.caller.wait(self.start(**how))

    def restart_sync(self) -> ServerClient:
        self.caller.leave_running_loop()
        return self.caller.wait(self.restart())

    def stop_sync(self) -> None:
        self.caller.leave_running_loop()
        self.caller.wait(self.stop())

    def _words(self, policy_file: str | None, listen: str) -> list[str]:
        launch = self._launch
        words = [launch["binary"], "--listen", launch["listen"] or listen]
        if launch["base_dir"] is not None:
            words += ["--base-dir", os.fsdecode(launch["base_dir"])]
        if policy_file:
            words += ["--policy", policy_file]
        return [*words, *launch["options"]]

    def _policy_text(self) -> str | None:
        policy = self._launch["policy"]
        if policy is not None and not isinstance(policy, Mapping):
            if self._groups:
                raise errors.ServerConfigError("enable_builtin() cannot change a policy file; give the policy as a mapping")
            return None
        if policy is None and not self._groups:
            return None
        merged = dict(policy or {})
        merged["groups"] = {**merged.get("groups", {}), **self._groups}
        return json.dumps(merged)

    def _start_here(self, within: float) -> str:
        self._scratch = Path(tempfile.mkdtemp(prefix="agent-sandbox-"))
        text = self._policy_text()
        policy = self._launch["policy"]
        policy_file = os.fsdecode(policy) if policy is not None and text is None else None
        if text is not None:
            policy_file = str(self._scratch / "policy.yaml")
            Path(policy_file).write_text(text)
        environment = {**os.environ, **(self._launch["env"] or {})}
        if self._launch["token"]:
            environment["ABX_SERVER_TOKEN"] = self._launch["token"]
        with open(self._scratch / "stderr", "wb") as stderr:
            try:
                self._process = subprocess.Popen(
                    self._words(policy_file, "127.0.0.1:0"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                    env=environment)
            except OSError as fault:
                self._forget_scratch()
                raise errors.ServerConfigError(f"cannot start '{self._launch['binary']}': {fault}") from fault
        return self._ready_url(self._process, self._scratch, within)

    def _ready_url(self, process: subprocess.Popen[bytes], scratch: Path, within: float) -> str:
        assert process.stdout is not None
        line = _first_line(process.stdout.fileno(), within)
        found = READY.search(line or "")
        if found:
            return found.group(1)
        process.kill()
        process.wait()
        process.stdout.close()
        self._process = None
        said = (scratch / "stderr").read_text(errors="replace")[-1000:].strip()
        self._forget_scratch()
        late = f" within {within} s" if line is None else ""
        raise errors.ServerConfigError(f"the server did not start{late}: {said or line or 'it said nothing'}")

    def _forget_scratch(self) -> None:
        scratch, self._scratch = self._scratch, None
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)

    async def _start_there(self, within: float) -> None:
        assert self._runner is not None
        if self._policy_text() is not None:
            raise errors.ServerConfigError("a policy for a server in a remote sandbox must be a file there")
        policy = self._launch["policy"]
        words = self._words(os.fsdecode(policy) if policy is not None else None, f"0.0.0.0:{SERVER_PORT}")
        ran = self._runner(words)
        if inspect.isawaitable(ran):
            await ran
        deadline = time.monotonic() + within
        while True:
            try:
                await self.core.health(request_timeout=max(0.1, deadline - time.monotonic()))
                return
            except errors.SandboxError:
                if time.monotonic() >= deadline:
                    raise
                await asyncio.sleep(0.05)


def _first_line(fd: int, within: float) -> str | None:
    """What comes up to the first newline or the end; None when neither comes in time."""
    deadline = time.monotonic() + within
    line = b""
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            piece = os.read(fd, 4096)
            if not piece:
                break
            line += piece
    return line.decode("utf-8", "replace")


class Sandbox:
    """One sandbox.  Whose life it is (create, pause, kill) is the platform's business and not of this package."""

    def __init__(
        self, network: Network, url: str, *, server_token: str | None = None, gateway_token: str | None = None,
        gateway_headers: Mapping[str, str] | None = None, runner: Runner | None = None, sandbox_id: str | None = None, **options: Any,
    ) -> None:
        self.sandbox_id, self.network = sandbox_id, network
        self._options = {"gateway_token": gateway_token, "gateway_headers": gateway_headers, **options}
        self.server = SandboxServer(url, token=server_token, runner=runner, **self._options)

    @classmethod
    def local(cls, url: str = f"http://127.0.0.1:{SERVER_PORT}", *, server_token: str | None = None, **options: Any) -> Sandbox:
        """This machine, or wherever a server is reached directly."""
        host = "localhost" if url.startswith("unix:") else urlsplit(url).hostname or "localhost"
        shown = f"[{host}]" if ":" in host else host
        return cls(Network(lambda port: f"{shown}:{port}", "http"), url, server_token=server_token, **options)

    @classmethod
    async def connect(
        cls, sandbox_id: str, *, domain: str | None = None, api_key: str | None = None, server_token: str | None = None,
        runner: Runner | None = None, **options: Any,
    ) -> Sandbox:
        """
        A sandbox behind a gateway: https://PORT-ID.DOMAIN.  Nothing is asked yet.

        :param domain: The gateway's; ABX_DOMAIN where it is not given.
        :param api_key: What the gateway asks for, sent as its own header; ABX_API_KEY where it is not given.
        :param runner: Starts a program in the sandbox, for server.start().
        """
        domain = domain or os.environ.get("ABX_DOMAIN")
        if not domain or not re.fullmatch(r"[A-Za-z0-9-]+", sandbox_id):
            raise errors.ServerConfigError("a sandbox is reached by its id (letters, digits, -) and the gateway's domain")
        network = Network(lambda port: f"{port}-{sandbox_id}.{domain}", "https")
        return cls(
            network, network.get_url(SERVER_PORT), server_token=server_token, gateway_token=api_key or os.environ.get("ABX_API_KEY"),
            runner=runner, sandbox_id=sandbox_id, **options)

    @classmethod
    def connect_sync(cls, sandbox_id: str, **options: Any) -> Sandbox:
        return wait_for(cls.connect(sandbox_id, **options))

    def server_at(self, port: int, *, token: str | None = None) -> ServerClient:
        """The client of another server in the sandbox."""
        return ServerClient(self.network.get_url(port), token=token, **self._options)

    def get_host(self, port: int) -> str:
        return self.network.get_host(port)

    async def start_server(self, **how: Any) -> ServerClient:
        """server.start(): the server program is started and answers."""
        return await self.server.start(**how)

    async def custom(self, name: str, **args: Any) -> Any:
        """A command of the template's author."""
        return await self.server.call(f"custom.{name}", **args)

    async def run(self, name: str, **args: Any) -> Any:
        """custom(), under its older name."""
        return await self.custom(name, **args)

    async def list_commands(self) -> list[ServerCommand]:
        """The commands of the template's author."""
        return list((await self.server.custom.list()).commands)

    def start_server_sync(self, **how: Any) -> ServerClient:
        return self.server.caller.wait(self.start_server(**how))

    def run_sync(self, name: str, **args: Any) -> Any:
        return self.server.caller.wait(self.run(name, **args))

    def custom_sync(self, name: str, **args: Any) -> Any:
        return self.server.caller.wait(self.custom(name, **args))

    def list_commands_sync(self) -> list[ServerCommand]:
        return self.server.caller.wait(self.list_commands())

    async def aclose(self) -> None:
        """Closes connections, and ends a server that was started here."""
        await self.server.stop()
        await self.server.aclose()

    async def __aenter__(self) -> Sandbox:
        self.server.caller.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    def close(self) -> None:
        self.server.caller.leave_running_loop()
        self.server.caller.wait(self.aclose())

    def __enter__(self) -> Sandbox:
        self.server.caller.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
