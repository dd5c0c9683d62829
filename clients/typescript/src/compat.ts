// SPDX-License-Identifier: Apache-2.0
// Which methods answer which endpoint of v1.  The older names of methods are the Python client's alone.

const pty = {
  create_session: "create", list_sessions: "list", detail: "get", resize: "resize", delete_session: "delete", connect: "connect",
};
const browser = ["navigate", "screenshot", "content", "click", "type", "evaluate", "pdf", "console"];

export const ENDPOINT_METHODS: Readonly<Record<string, readonly string[]>> = {
  health: ["health"],
  capabilities: ["discover", "capabilities"],
  capabilities_check: ["check"],
  list_commands: ["custom.list"],
  run_command: ["custom.call", "custom.<name>"],
  files_list: ["files.list"],
  files_stat: ["files.stat", "files.exists"],
  files_mkdir: ["files.mkdir"],
  files_delete: ["files.delete"],
  files_move: ["files.move"],
  files_search: ["files.search"],
  files_upload_stream: ["files.upload_stream", "files.upload_file"],
  files_download_stream: ["files.download_stream", "files.read_text", "files.download_file"],
  files_archive: ["files.archive"],
  files_watch: ["files.watch", "files.watch_for"],
  upload: ["files.upload"],
  download: ["files.download"],
  shell: ["commands.run"],
  shell_stream: ["commands.stream", "commands.run_stream"],
  process_start: ["process.start"],
  process_list: ["process.list"],
  process_detail: ["process.get"],
  process_signal: ["process.signal", "process.kill"],
  process_stdin: ["process.stdin"],
  process_output: ["process.output", "process.follow"],
  ...Object.fromEntries(Object.entries(pty).map(([endpoint, method]) => [`pty_${endpoint}`, [`terminal.${method}`]])),
  system_info: ["system.info"],
  system_metrics: ["system.metrics"],
  env_get: ["system.env.get"],
  env_set: ["system.env.set"],
  ports: ["system.ports"],
  packages: ["system.packages"],
  code_run: ["devtools.code.run"],
  git_status: ["devtools.git.status"],
  git_diff: ["devtools.git.diff"],
  ...Object.fromEntries(browser.map((method) => [`browser_${method}`, [`browser.${method}`]])),
};
