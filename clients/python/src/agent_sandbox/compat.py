# SPDX-License-Identifier: Apache-2.0
"""Which methods answer which endpoint of v1."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

_PTY = {
    "create_session": "create", "list_sessions": "list", "detail": "get", "resize": "resize", "delete_session": "delete",
    "connect": "connect",
}
_BROWSER = ("navigate", "screenshot", "content", "click", "type", "evaluate", "pdf", "console")

ENDPOINT_METHODS: Mapping[str, Sequence[str]] = {
    "health": ("health",),
    "capabilities": ("discover", "capabilities"),
    "capabilities_check": ("check",),
    "list_commands": ("custom.list", "commands.list"),
    "run_command": ("custom.call", "custom.<name>"),
    "files_list": ("files.list",),
    "files_stat": ("files.stat", "files.exists"),
    "files_mkdir": ("files.mkdir",),
    "files_delete": ("files.delete",),
    "files_move": ("files.move",),
    "files_search": ("files.search",),
    "files_upload_stream": ("files.upload_stream", "files.upload_file"),
    "files_download_stream": ("files.download_stream", "files.read_text", "files.download_file"),
    "files_archive": ("files.archive",),
    "files_watch": ("files.watch", "files.watch_for"),
    "upload": ("files.upload", "files.upload_legacy"),
    "download": ("files.download", "files.download_legacy"),
    "shell": ("commands.run", "process.shell"),
    "shell_stream": ("commands.stream", "commands.run_stream", "process.shell_stream", "process.run_stream"),
    "process_start": ("process.start",),
    "process_list": ("process.list",),
    "process_detail": ("process.get",),
    "process_signal": ("process.signal", "process.kill"),
    "process_stdin": ("process.stdin", "process.send_stdin"),
    "process_output": ("process.output", "process.follow"),
    **{f"pty_{endpoint}": (f"terminal.{name}", f"pty.{name}") for endpoint, name in _PTY.items()},
    "system_info": ("system.info",),
    "system_metrics": ("system.metrics",),
    "env_get": ("system.env.get", "system.env()"),
    "env_set": ("system.env.set", "system.set_env"),
    "ports": ("system.ports",),
    "packages": ("system.packages",),
    "code_run": ("devtools.code.run", "devtools.run_code"),
    "git_status": ("devtools.git.status", "devtools.git_status"),
    "git_diff": ("devtools.git.diff", "devtools.git_diff"),
    **{f"browser_{name}": (f"browser.{name}",) for name in _BROWSER},
}
