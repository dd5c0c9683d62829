# SPDX-License-Identifier: Apache-2.0
"""The machine, developer tools and the template's commands, with the names of earlier clients."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Union

from ._extras import deprecated
from ._generated import (
    CustomNamespace,
    DevtoolsCodeRunResult,
    DevtoolsGitDiffResult,
    DevtoolsGitStatusResult,
    DevtoolsNamespace,
    SystemEnvGetResult,
    SystemEnvNamespace,
    SystemEnvSetResult,
    SystemNamespace,
)
from ._op import PathLike

Names = Union[str, Sequence[str], None]


class SystemEnv(SystemEnvNamespace):
    """The ops system.env.*; called itself, it is the older name of get."""

    async def __call__(self, names: Names = None) -> SystemEnvGetResult:
        """Deprecated: system.env.get."""
        deprecated("system.env()", "system.env.get")
        return await self.get(names=_listed(names))


class System(SystemNamespace):
    """The ops system.*"""

    @cached_property
    def env(self) -> SystemEnv:
        return SystemEnv(self._client, "system.env")

    def env_sync(self, names: Names = None) -> SystemEnvGetResult:
        deprecated("system.env_sync", "system.env.get_sync")
        return self.env.get_sync(names=_listed(names))

    async def set_env(self, vars: Mapping[str, str | None]) -> SystemEnvSetResult:
        """Deprecated: system.env.set."""
        deprecated("system.set_env", "system.env.set")
        return await self.env.set(vars)

    def set_env_sync(self, vars: Mapping[str, str | None]) -> SystemEnvSetResult:
        deprecated("system.set_env_sync", "system.env.set_sync")
        return self.env.set_sync(vars)


class Devtools(DevtoolsNamespace):
    """The ops devtools.*"""

    async def run_code(self, code: str, **options: Any) -> DevtoolsCodeRunResult:
        """Deprecated: devtools.code.run."""
        deprecated("devtools.run_code", "devtools.code.run")
        return await self.code.run(code, **options)

    async def git_status(self, path: PathLike | None = None) -> DevtoolsGitStatusResult:
        """Deprecated: devtools.git.status."""
        deprecated("devtools.git_status", "devtools.git.status")
        return await self.git.status(path=path)

    async def git_diff(
        self, path: PathLike | None = None, *, staged: bool | None = None, file: str | None = None,
    ) -> DevtoolsGitDiffResult:
        """Deprecated: devtools.git.diff."""
        deprecated("devtools.git_diff", "devtools.git.diff")
        return await self.git.diff(path=path, staged=staged, file=file)

    def run_code_sync(self, code: str, **options: Any) -> DevtoolsCodeRunResult:
        deprecated("devtools.run_code_sync", "devtools.code.run_sync")
        return self.code.run_sync(code, **options)

    def git_status_sync(self, path: PathLike | None = None) -> DevtoolsGitStatusResult:
        deprecated("devtools.git_status_sync", "devtools.git.status_sync")
        return self.git.status_sync(path=path)

    def git_diff_sync(self, path: PathLike | None = None, **options: Any) -> DevtoolsGitDiffResult:
        deprecated("devtools.git_diff_sync", "devtools.git.diff_sync")
        return self.git.diff_sync(path=path, **options)


def _listed(names: Names) -> str | None:
    return names if names is None or isinstance(names, str) else ",".join(names)


class Custom(CustomNamespace):
    """The template author's commands: srv.custom.grade(…), looked up on the server when first used."""

    async def call(self, name: str, /, **args: Any) -> Any:
        """A command by its name, for names that are no identifiers or are those of methods here."""
        return await self._client.call(f"custom.{name}", **args)

    def call_sync(self, name: str, /, **args: Any) -> Any:
        return self._caller.wait(self.call(name, **args))


__all__: Sequence[str] = ["Custom", "Devtools", "System"]
