// SPDX-License-Identifier: Apache-2.0
// Made by `agent-sandbox-server gen-client --lang ts --part catalog`: do not edit.
// Catalog version 1, digest sha256:304f4afa4f08c673e96b32106b669f903404d67d03b85cf80fb3994b84de8ba9
import type { ErrorRow, OpSpec } from "./runtime.js";

export const CATALOG_VERSION = 1;
export const CATALOG_DIGEST = "sha256:304f4afa4f08c673e96b32106b669f903404d67d03b85cf80fb3994b84de8ba9";
export const SERVER_VERSION = "0.1.0";

/** Tell whether the server answers. */
export interface CoreHealthParams {
}

/** Tell whether the server answers. */
export interface CoreHealthResult {
  /** Always "ok". */
  status: string;
}

/** Tell what this server offers and what the caller may use. */
export interface CoreCapabilitiesParams {
}

/** The server. */
export interface ServerInfo {
  /** Always "agent-sandbox-server". */
  name: string;
  /** Version of the server. */
  version: string;
}

/** The caller. */
export interface Principal {
  /** Name of the caller's token, or "local" where no token is configured. */
  name: string;
  /** What the caller holds. */
  scopes: (string)[];
}

/** The caller's paths. */
export interface PathFacts {
  /** Where relative paths start. */
  base: string;
  /** Folders that the caller may reach. */
  roots: (string)[];
  /** Patterns of what may only be read: absolute, or with ** in front for any folder. */
  readonly: (string)[];
  /** Patterns of what may not be reached, likewise. */
  deny: (string)[];
}

/** What holds the programs that are started. */
export interface Confinement {
  /** What the policy asks for: off, paths or best_effort. */
  mode: string;
  /** Whether programs are held to the roots by the kernel. */
  filesystem: boolean;
  /** Whether programs are kept from signalling the server and others. */
  signals: boolean;
  /** inherit, none, or tcp_denied where only TCP could be closed. */
  network: string;
  /** What the kernel's Landlock knows; 0 none. */
  landlock_abi: number;
  /** What was asked for and cannot be had here. */
  missing: (string)[];
}

/** Tell what this server offers and what the caller may use. */
export interface CoreCapabilitiesResult {
  /** Version of this body. */
  version: number;
  /** The server. */
  server: ServerInfo;
  /** Version of the catalog's shape. */
  catalog_version: number;
  /** Digest of the catalog of built-in ops. */
  catalog_digest: string;
  /** The caller. */
  principal: Principal;
  /** By op id: enabled, allowed, scope, group, kind, rule, limits. */
  ops: unknown;
  /** The same by endpoint id. */
  endpoints: unknown;
  /** By name: whether the group is switched on. */
  groups: unknown;
  /** The caller's paths. */
  paths: PathFacts;
  /** What this server can do beyond its ops. */
  features: (string)[];
  /** What holds the programs that are started. */
  confinement: Confinement;
}

/** Several checks in one call. */
export interface Check {
  /** Id of the op. */
  op?: string | undefined;
  /** The op by its endpoint id. */
  endpoint?: string | undefined;
  /** A path to check against the op's first path parameter. */
  path?: string | undefined;
  /** Several paths, all of which must be allowed. */
  paths?: (string)[] | undefined;
  /** All arguments of the call. */
  args?: unknown | undefined;
}

/** Tell whether a call would be allowed. */
export interface CoreCheckParams {
  /** Id of the op. */
  op?: string | undefined;
  /** The op by its endpoint id. */
  endpoint?: string | undefined;
  /** A path to check against the op's first path parameter. */
  path?: string | undefined;
  /** Several paths, all of which must be allowed. */
  paths?: (string)[] | undefined;
  /** All arguments of the call. */
  args?: unknown | undefined;
  /** Several checks in one call. */
  checks?: Check[] | undefined;
}

/** One verdict for each of 'checks'. */
export interface Verdict {
  /** Whether the call would be let through; with 'checks', whether all would. */
  allowed: boolean;
  /** The op's id. */
  op?: string;
  /** The line of the policy that decided. */
  rule?: string;
  /** The error that the call would get. */
  wire_code?: string;
  /** The same in words. */
  reason?: string;
}

/** Tell whether a call would be allowed. */
export interface CoreCheckResult {
  /** Whether the call would be let through; with 'checks', whether all would. */
  allowed: boolean;
  /** The op's id. */
  op?: string;
  /** The line of the policy that decided. */
  rule?: string;
  /** The error that the call would get. */
  wire_code?: string;
  /** The same in words. */
  reason?: string;
  /** One verdict for each of 'checks'. */
  results?: Verdict[];
}

/** Describe the ops that the caller may call. */
export interface CoreDescribeParams {
  /** Id or endpoint id of one op; without it all are given. */
  id?: string | number | undefined;
}

/** Describe the ops that the caller may call. */
export interface CoreDescribeResult {
  /** Version of the catalog's shape. */
  catalog_version: number;
  /** SHA-256 of the canonical JSON of all built-in ops without descriptions. */
  digest: string;
  /** Version of the server. */
  server_version: string;
  /** The ops, in the shape of the catalog. */
  ops: unknown;
}

/** Describe the server as OpenAPI 3.1. */
export interface CoreOpenapiParams {
}

/** Describe the server as OpenAPI 3.1. */
export interface CoreOpenapiResult {
  /** Version of OpenAPI. */
  openapi: string;
  /** Name, versions and digest. */
  info: unknown;
  /** Where paths start. */
  servers: unknown;
  /** How a caller shows its token. */
  security: unknown;
  /** The groups of ops. */
  tags: unknown;
  /** The ops by path and method; an operationId is an op's id. */
  paths: unknown;
  /** What the paths refer to. */
  components: unknown;
}

/** Read the policy file and the custom commands again. */
export interface CoreReloadParams {
}

/** Read the policy file and the custom commands again. */
export interface CoreReloadResult {
  /** Always true: a failure is an error. */
  reloaded: boolean;
}

/** List the commands of the template's author. */
export interface CustomListParams {
}

/** The arguments that it takes. */
export interface ServerCommandArg {
  /** Its name. */
  name: string;
  /** string, integer, float, boolean, array or object. */
  type: string;
  /** Whether it must be given. */
  required: boolean;
  /** Its value when it is not given. */
  default?: unknown;
  /** What it is. */
  description: string;
}

/** The commands. */
export interface ServerCommand {
  /** Its name: the op is custom.NAME. */
  name: string;
  /** What it does. */
  description: string;
  /** The arguments that it takes. */
  args: ServerCommandArg[];
}

/** The programs behind some of them, where there are such. */
export interface ServerWorker {
  /** The file that it is from. */
  manifest: string;
  /** starting, ready or restarting. */
  state: string;
  /** What was wrong when it last ended or would not start. */
  problem?: string;
}

/** List the commands of the template's author. */
export interface CustomListResult {
  /** The commands. */
  commands: ServerCommand[];
  /** The programs behind some of them, where there are such. */
  workers?: ServerWorker[];
}

/** List a folder. */
export interface FilesListParams {
  /** Folder to list. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** List what is in the folders below too. */
  recursive?: boolean | undefined;
  /** How many levels to list when recursive; 1 is the folder alone. */
  depth?: number | undefined;
  /** Most entries to answer. */
  max_entries?: number | undefined;
  /** List names that begin with a dot too. */
  hidden?: boolean | undefined;
}

/** The entries, sorted by name. */
export interface FileEntry {
  /** The last part of the path. */
  name: string;
  /** The exact name where it is not UTF-8. */
  name_b64?: string;
  /** The path, absolute and without links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** What kind of entry it is; links are not followed. */
  type: string;
  /** Bytes. */
  size: number;
  /** When the content changed last, ISO 8601 in UTC. */
  modified: string;
  /** Permissions as octal digits. */
  mode: string;
  /** The owner's name, or its number. */
  owner: string;
  /** The group's name, or its number. */
  group: string;
  /** Where a link leads, when that is inside the roots. */
  target?: string;
}

/** List a folder. */
export interface FilesListResult {
  /** The folder. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** The entries, sorted by name. */
  entries: FileEntry[];
  /** Whether there are more entries than max_entries. */
  truncated: boolean;
}

/** Tell the facts of a path. */
export interface FilesStatParams {
  /** What to look at. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Look at what a link leads to, and not at the link. */
  follow?: boolean | undefined;
}

/** Tell the facts of a path. */
export interface FilesStatResult {
  /** The last part of the path. */
  name: string;
  /** The exact name where it is not UTF-8. */
  name_b64?: string;
  /** The path, absolute and without links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** What kind of entry it is; unknown where there is none. */
  type: string;
  /** Bytes; 0 where there is none. */
  size: number;
  /** Octal digits; empty where there is none. */
  permissions: string;
  /** When the content changed last, ISO 8601 in UTC; empty where there is none. */
  modified: string;
  /** Whether there is such an entry. */
  exists: boolean;
  /** The owner's name, or its number. */
  owner?: string;
  /** The group's name, or its number. */
  group?: string;
  /** The tag of a file's content, for If-Match. */
  etag?: string;
  /** The owner's number. */
  uid?: number;
  /** The group's number. */
  gid?: number;
  /** The number of the inode. */
  inode?: number;
  /** How many names the entry has. */
  links?: number;
  /** Where a link leads, when that is inside the roots. */
  target?: string;
}

/** Make a folder. */
export interface FilesMkdirParams {
  /** Folder to make. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Make missing folders above it too. */
  parents?: boolean | undefined;
  /** Permissions of the folder as octal digits, like '755'; without it 777 less the umask. */
  mode?: string | undefined;
}

/** Make a folder. */
export interface FilesMkdirResult {
  /** The folder. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** False when the folder was there already. */
  created: boolean;
}

/** Delete a file or a folder. */
export interface FilesDeleteParams {
  /** File, link or folder to delete. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Delete a folder with all below it; when false it has to be empty. */
  recursive?: boolean | undefined;
}

/** Delete a file or a folder. */
export interface FilesDeleteResult {
  /** What was deleted. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** True. */
  deleted: boolean;
}

/** Move or rename a file or a folder. */
export interface FilesMoveParams {
  /** What to move; a link itself, not its target. */
  source?: string | undefined;
  /** The exact bytes of `source`, instead of it. */
  source_b64?: Uint8Array | string | undefined;
  /** Its new path, not the folder to put it in. */
  destination?: string | undefined;
  /** The exact bytes of `destination`, instead of it. */
  destination_b64?: Uint8Array | string | undefined;
  /** Replace a file or an empty folder that is there. */
  overwrite?: boolean | undefined;
  /** Make missing folders above the destination. */
  parents?: boolean | undefined;
}

/** Move or rename a file or a folder. */
export interface FilesMoveResult {
  /** Where it was. */
  source: string;
  /** The exact path where it is not UTF-8. */
  source_b64?: string;
  /** Where it is. */
  destination: string;
  /** The exact path where it is not UTF-8. */
  destination_b64?: string;
}

/** Find files by name. */
export interface FilesSearchParams {
  /** Folder to search. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Glob: without a slash for the name, else for the path below the folder; '**' crosses folders. */
  pattern: string;
  /** How many levels to search; 1 is the folder alone. */
  max_depth?: number | undefined;
  /** Most entries to answer. */
  max_results?: number | undefined;
  /** Only entries of this kind. */
  type?: "any" | "file" | "directory" | "symlink" | "other" | undefined;
  /** Search names that begin with a dot too. */
  hidden?: boolean | undefined;
  /** Seconds after which the answer is what was found so far; 0 none. */
  timeout?: number | undefined;
}

/** What was found, sorted by path. */
export interface FoundEntry {
  /** The name. */
  name: string;
  /** The exact name where it is not UTF-8. */
  name_b64?: string;
  /** The absolute path. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** What kind of entry it is; links are not followed. */
  type: string;
}

/** Find files by name. */
export interface FilesSearchResult {
  /** The folder, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** What was found, sorted by path. */
  results: FoundEntry[];
  /** Whether the timeout ended the search. */
  timed_out: boolean;
  /** Whether there may be more: of max_results, or of the timeout. */
  truncated: boolean;
}

/** Write files of any size. */
export interface FilesUploadStreamParams {
  /** File to write; of a form the folder for its files. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** The bytes, where they are not the body itself. */
  content_base64?: Uint8Array | string | undefined;
  /** Permissions as octal digits, like '644'; without it those of the file that is replaced, else 666 less the umask. */
  mode?: string | undefined;
  /** Fail when something is there; If-None-Match: * says the same. */
  create_only?: boolean | undefined;
  /** Make missing folders above the file. */
  parents?: boolean | undefined;
}

/** The files of a form, in its order. */
export interface UploadedFile {
  /** The file, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** How many were written. */
  bytes: number;
  /** The tag of what was written, for If-Match. */
  etag: string;
}

/** Write files of any size. */
export interface FilesUploadStreamResult {
  /** The file, behind its links; not of a form. */
  path?: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** How many were written; not of a form. */
  bytes?: number;
  /** The tag of what was written, for If-Match; not of a form. */
  etag?: string;
  /** The files of a form, in its order. */
  files?: UploadedFile[];
}

/** Read a file of any size. */
export interface FilesDownloadStreamParams {
  /** File to read. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
}

/** Read a file of any size. */
export interface FilesDownloadStreamResult {
  /** The file. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** Its bytes. */
  content_base64: string;
  /** How many. */
  bytes: number;
}

/** Files and folders as one archive. */
export interface FilesArchiveParams {
  /** What to put in; entries are named from each path's last part on, which no two may have alike. */
  paths?: (string)[] | undefined;
  /** The exact bytes of `paths`, instead of it. */
  paths_b64?: (Uint8Array | string)[] | undefined;
  /** The archive's format. */
  format?: "tar" | "tar.gz" | "tar.zst" | "zip" | undefined;
}

/** What is not in it, or not as it was, the first 1000. */
export interface ArchiveSkipped {
  /** Its path. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** Why it is not there, or not as it was. */
  reason: string;
}

/** Files and folders as one archive. */
export interface FilesArchiveResult {
  /** The archive. */
  content_base64: string;
  /** Its format. */
  format: string;
  /** Its size. */
  bytes: number;
  /** How many entries it has. */
  files: number;
  /** How many notes there are in all. */
  skipped_total: number;
  /** What is not in it, or not as it was, the first 1000. */
  skipped: ArchiveSkipped[];
}

/** What changes in a folder or a file, as it happens. */
export interface FilesWatchParams {
  /** The folder, or the one file, to watch. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Watch all folders below too, also those that are made later. */
  recursive?: boolean | undefined;
  /** Seconds after which the stream ends; 0 is never. */
  timeout?: number | undefined;
  /** How many events the stream has at most; 0 is any number. */
  max_events?: number | undefined;
  /** By the kernel's inotify, by looking again and again, or the first where it works. */
  mode?: "auto" | "inotify" | "poll" | undefined;
  /** Milliseconds between two looks when polling. */
  poll_ms?: number | undefined;
}

/** Everything from now on is told. */
export interface FilesWatchReadyEvent {
  event: "ready";
  /** What is watched. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** How: inotify or poll. */
  mode: string;
  /** The limit that keeps inotify from covering all. */
  limit?: string;
  /** How many folders inotify does not cover; with mode poll they are polled. */
  uncovered?: number;
}

/** Something changed. */
export interface FilesWatchEventEvent {
  event: "event";
  /** What happened. */
  type: string;
  /** The absolute path of the thing. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** The last part of the path. */
  name: string;
  /** The exact name where it is not UTF-8. */
  name_b64?: string;
  /** It is a folder. */
  is_dir: boolean;
  /** Where it was, when it came by a rename within what is watched. */
  old_path?: string;
  /** The exact old path where it is not UTF-8. */
  old_path_b64?: string;
  /** When it was told, UTC. */
  timestamp: string;
}

/** Events were lost: list what you need to know. */
export interface FilesWatchOverflowEvent {
  event: "overflow";
}

/** Not all folders are covered any more. */
export interface FilesWatchPartialEvent {
  event: "partial";
  /** The limit that is reached, or 'permission'. */
  limit: string;
  /** How many folders are not covered; with mode poll they are polled from now on. */
  uncovered: number;
  /** How the rest is watched from now on. */
  mode: string;
}

/** What went wrong; the fields are those of an error's body. */
export interface FilesWatchErrorEvent {
  event: "error";
  /** What went wrong. */
  error: string;
  /** The error's dotted code. */
  wire_code: string;
  /** The error's flat v1 code. */
  code: string;
  /** The error's type. */
  type: string;
}

/** The stream is over. */
export interface FilesWatchEndEvent {
  event: "end";
  /** Why nothing comes behind this. */
  reason: string;
}

export type FilesWatchEvent = | FilesWatchReadyEvent | FilesWatchEventEvent | FilesWatchOverflowEvent | FilesWatchPartialEvent | FilesWatchErrorEvent | FilesWatchEndEvent;

/** Write a whole file. */
export interface FilesUploadParams {
  /** File to write; of a form the folder for its files. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** The bytes, where they are not the body itself. */
  content_base64?: Uint8Array | string | undefined;
  /** Permissions as octal digits, like '644'; without it those of the file that is replaced, else 666 less the umask. */
  mode?: string | undefined;
  /** Fail when something is there; If-None-Match: * says the same. */
  create_only?: boolean | undefined;
  /** Make missing folders above the file. */
  parents?: boolean | undefined;
}

/** Write a whole file. */
export interface FilesUploadResult {
  /** The file, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** How many were written. */
  bytes: number;
  /** The tag of what was written, for If-Match. */
  etag: string;
}

/** Read a whole file. */
export interface FilesDownloadParams {
  /** File to read. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
}

/** Read a whole file. */
export interface FilesDownloadResult {
  /** The file. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** Its bytes. */
  content_base64: string;
}

/** Read a part of a file. */
export interface FilesReadParams {
  /** File to read. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** The first byte. */
  offset?: number | undefined;
  /** Most bytes; never more than max_bytes in JSON. */
  limit?: number | undefined;
  /** How the content is given: as text, exactly, or as the body itself, which Accept: application/octet-stream asks for too. */
  encoding?: "utf-8" | "base64" | "bytes" | undefined;
  /** Lines instead of bytes, the first is 1: '7', '10-20' or '10-'. */
  lines?: string | undefined;
}

/** Read a part of a file. */
export interface FilesReadResult {
  /** The file, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** The part of the file, in the encoding that was asked for. */
  content: string;
  /** Bytes of the whole file; of a file under /proc what was read. */
  size: number;
  /** How many of the file's bytes the content holds. */
  bytes: number;
  /** How many lines the content has; a last one without a newline counts. */
  lines: number;
  /** Whether the file goes on behind the content. */
  truncated: boolean;
  /** There when bytes of the text had to be replaced: encoding=base64 gives them. */
  lossy?: boolean;
  /** The tag of the file, for If-Match. */
  etag: string;
}

/** Write a file, or to its end. */
export interface FilesWriteParams {
  /** File to write. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** The text; or content_base64, or the body itself. */
  content?: string | undefined;
  /** The bytes. */
  content_base64?: Uint8Array | string | undefined;
  /** Write behind the end of what is there, all of it or nothing. */
  append?: boolean | undefined;
  /** Fail when something is there; If-None-Match: * says the same. */
  create_only?: boolean | undefined;
  /** Permissions as octal digits, like '644'; without it those that the file has, else 666 less the umask. */
  mode?: string | undefined;
  /** Make missing folders above the file. */
  parents?: boolean | undefined;
}

/** Write a file, or to its end. */
export interface FilesWriteResult {
  /** The file, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** How many were written. */
  bytes: number;
  /** The tag of the file now, for If-Match. */
  etag: string;
}

/** Exact replacements, one after the other; each sees what those before it made. */
export interface Edit {
  /** What is there now, exactly, with its line ends. */
  old: string;
  /** What is to be there. */
  new: string;
  /** How often old is there; each is replaced. 0: as often as it is, at least once. */
  count?: number | undefined;
}

/** Change parts of a file. */
export interface FilesEditParams {
  /** File to change. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Exact replacements, one after the other; each sees what those before it made. */
  edits?: Edit[] | undefined;
  /** A unified diff of this file; every line of it has to fit. */
  patch?: string | undefined;
}

/** Change parts of a file. */
export interface FilesEditResult {
  /** The file, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** How many places were changed; of a patch its hunks. */
  replacements: number;
  /** What was changed, as a unified diff; empty when nothing was. */
  diff: string;
  /** There when the diff would be over 1 MiB, and is left out. */
  diff_cut?: boolean;
  /** There when bytes of the diff had to be replaced. */
  lossy?: boolean;
  /** The length of the file now. */
  bytes: number;
  /** The tag of the file now, for If-Match. */
  etag: string;
}

/** Find lines in files. */
export interface FilesGrepParams {
  /** Folder to search, or one file. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Regular expression (PCRE2), looked for in each line. */
  pattern: string;
  /** Only files that this fits: without a slash by their name, else by the path below the folder. */
  glob?: string | undefined;
  /** Letters match without regard to case. */
  ignore_case?: boolean | undefined;
  /** The pattern is a text and not an expression. */
  literal?: boolean | undefined;
  /** How many lines before and after each match to answer. */
  context?: number | undefined;
  /** Most matches to answer, one of each line. */
  max_results?: number | undefined;
  /** Search what .gitignore files name, and .git folders, too. */
  no_ignore?: boolean | undefined;
  /** Seconds after which the answer is what was found so far; 0 none. */
  timeout?: number | undefined;
}

/** The matches, sorted by path and line. */
export interface GrepMatch {
  /** The absolute path. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** The line, from 1. */
  line: number;
  /** Where in the line the match begins, in bytes from 1. */
  column: number;
  /** The line without its newline; of a long one 4096 bytes around the match. */
  text: string;
  /** There when the text is not the whole line. */
  cut?: boolean;
  /** There when bytes of it or its context had to be replaced; files.read gives them exactly. */
  lossy?: boolean;
  /** The lines before it; only with context. */
  before?: (string)[];
  /** The lines behind it; only with context. */
  after?: (string)[];
}

/** Files whose search ended early; at most 100 of them are named. */
export interface GrepGivenUp {
  /** The absolute path. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** True: the expression needed too many steps. */
  timed_out: boolean;
}

/** Find lines in files. */
export interface FilesGrepResult {
  /** The start, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** The matches, sorted by path and line. */
  matches: GrepMatch[];
  /** How many files were searched. */
  files_searched: number;
  /** How many were not: binary, unreadable, or no regular files. */
  files_skipped: number;
  /** Files whose search ended early; at most 100 of them are named. */
  files_given_up?: GrepGivenUp[];
  /** Whether there are more matches: of max_results, or of 8 MiB of answer. */
  truncated: boolean;
  /** Whether the timeout ended the search, or a file was given up. */
  timed_out: boolean;
}

/** Copy a file or a folder. */
export interface FilesCopyParams {
  /** What to copy; a link is followed, links below it are copied as links. */
  source?: string | undefined;
  /** The exact bytes of `source`, instead of it. */
  source_b64?: Uint8Array | string | undefined;
  /** The copy's path, not the folder to put it in. */
  destination?: string | undefined;
  /** The exact bytes of `destination`, instead of it. */
  destination_b64?: Uint8Array | string | undefined;
  /** Replace a file or an empty folder that is there. */
  overwrite?: boolean | undefined;
  /** Make missing folders above the destination. */
  parents?: boolean | undefined;
}

/** Copy a file or a folder. */
export interface FilesCopyResult {
  /** What was copied. */
  source: string;
  /** The exact path where it is not UTF-8. */
  source_b64?: string;
  /** Where the copy is. */
  destination: string;
  /** The exact path where it is not UTF-8. */
  destination_b64?: string;
  /** How many files, folders and links were copied. */
  entries: number;
  /** The bytes of the files among them. */
  bytes: number;
  /** How many devices, FIFOs and sockets were left out. */
  skipped: number;
}

/** Fill a folder from an archive. */
export interface FilesExtractParams {
  /** The archive, where it is not the body itself. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** The folder to fill; made when it is not there. */
  destination?: string | undefined;
  /** The exact bytes of `destination`, instead of it. */
  destination_b64?: Uint8Array | string | undefined;
  /** What the archive is; auto looks. */
  format?: "auto" | "tar" | "tar.gz" | "tar.zst" | "tar.xz" | "tar.bz2" | "zip" | undefined;
  /** Replace files that are there; else they are kept and listed as skipped. */
  overwrite?: boolean | undefined;
  /** How many parts to leave off the front of each name. */
  strip?: number | undefined;
  /** Make missing folders above the destination. */
  parents?: boolean | undefined;
}

/** What was left out or changed, the first 1000. */
export interface SkippedEntry {
  /** The entry's name in the archive. */
  name: string;
  /** The exact name where it is not UTF-8. */
  name_b64?: string;
  /** Why it, or a part of it, is not there. */
  reason: string;
}

/** Fill a folder from an archive. */
export interface FilesExtractResult {
  /** The folder. */
  destination: string;
  /** The exact path where it is not UTF-8. */
  destination_b64?: string;
  /** How many entries were written. */
  entries: number;
  /** How many bytes of files were written; holes do not count. */
  bytes: number;
  /** The destination was there already and got the entries one by one. */
  merged: boolean;
  /** How many entries had another owner in the archive than they have now. */
  owners_dropped: number;
  /** How many notes there are in all. */
  skipped_total: number;
  /** What was left out or changed, the first 1000. */
  skipped: SkippedEntry[];
}

/** Change permissions. */
export interface FilesChmodParams {
  /** What to change; a link is followed. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** Three or four octal digits, like '644'. */
  mode: string;
  /** All that is below a folder too; links are left as they are. */
  recursive?: boolean | undefined;
}

/** Change permissions. */
export interface FilesChmodResult {
  /** What was changed, behind its links. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** The permissions that it has now, as octal digits. */
  mode: string;
  /** How many entries got the mode. */
  changed: number;
}

/** Run a command and answer when it has ended. */
export interface CommandsRunParams {
  /** Text that the shell runs, as its -c argument. */
  command?: string | undefined;
  /** Program and arguments, without a shell. */
  argv?: (string)[] | undefined;
  /** The shell; /bin/bash where it exists, else /bin/sh. */
  shell?: string | undefined;
  /** Working directory; the base directory by default. */
  cwd?: string | undefined;
  /** The exact bytes of `cwd`, instead of it. */
  cwd_b64?: Uint8Array | string | undefined;
  /** Variables on top of the server's for children. */
  env?: Record<string, string> | undefined;
  /** User to run as, one that the policy lists. */
  user?: string | undefined;
  /** Standard input as text; without it end of file at once. */
  stdin?: string | undefined;
  /** Standard input as bytes in base64. */
  stdin_b64?: Uint8Array | string | undefined;
  /** Seconds until the command and all that it started are ended; 0 is no limit. */
  timeout?: number | undefined;
  /** How many bytes of each stream to keep: the first ones. */
  max_output_bytes?: number | undefined;
  /** How stdout and stderr are given: as text, or exactly. */
  encoding?: "utf-8" | "base64" | undefined;
}

/** Run a command and answer when it has ended. */
export interface CommandsRunResult {
  /** What the command wrote to standard output. */
  stdout: string;
  /** What it wrote to standard error. */
  stderr: string;
  /** Its exit code; 128 and N when signal N ended it. */
  exit_code: number;
  /** The signal that ended it. */
  signal?: string;
  /** From its start to its end. */
  duration_ms: number;
  /** Whether bytes of stdout are missing. */
  stdout_truncated: boolean;
  /** Whether bytes of stderr are missing. */
  stderr_truncated: boolean;
  /** How many bytes of stdout there were in all. */
  stdout_bytes: number;
  /** How many bytes of stderr there were in all. */
  stderr_bytes: number;
  /** The timeout that was in force, in seconds; 0 none. */
  timeout: number;
  /** Process id of the command. */
  pid: number;
  /** Something that it started still held a pipe at the answer. */
  background?: boolean;
  /** Bytes that are not UTF-8 were replaced: encoding=base64 gives them. */
  lossy?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
}

/** Run a command and send its output as it comes. */
export interface CommandsStreamParams {
  /** Text that the shell runs, as its -c argument. */
  command?: string | undefined;
  /** Program and arguments, without a shell. */
  argv?: (string)[] | undefined;
  /** The shell; /bin/bash where it exists, else /bin/sh. */
  shell?: string | undefined;
  /** Working directory; the base directory by default. */
  cwd?: string | undefined;
  /** The exact bytes of `cwd`, instead of it. */
  cwd_b64?: Uint8Array | string | undefined;
  /** Variables on top of the server's for children. */
  env?: Record<string, string> | undefined;
  /** User to run as, one that the policy lists. */
  user?: string | undefined;
  /** Standard input as text; without it end of file at once. */
  stdin?: string | undefined;
  /** Standard input as bytes in base64. */
  stdin_b64?: Uint8Array | string | undefined;
  /** Seconds until the command and all that it started are ended; 0 is no limit. */
  timeout?: number | undefined;
  /** How output is given: as text, or exactly. */
  encoding?: "utf-8" | "base64" | undefined;
  /** One event for each whole line, without its newline (text only; a line over 1 MiB is cut). '?lines=true' behind the route says the same. */
  lines?: boolean | undefined;
}

/** It runs. */
export interface CommandsStreamStartEvent {
  event: "start";
  /** Process id of the command. */
  pid: number;
}

/** Output. */
export interface CommandsStreamStdoutEvent {
  event: "stdout";
  /** The bytes, as text or base64. */
  data: string;
  /** Bytes that are not UTF-8 were replaced. */
  lossy?: boolean;
}

/** Error output. */
export interface CommandsStreamStderrEvent {
  event: "stderr";
  /** The bytes, as text or base64. */
  data: string;
  /** Bytes that are not UTF-8 were replaced. */
  lossy?: boolean;
}

/** What went wrong; the fields are those of an error's body. */
export interface CommandsStreamErrorEvent {
  event: "error";
  /** What went wrong. */
  error: string;
  /** The error's dotted code. */
  wire_code: string;
  /** The error's flat v1 code. */
  code: string;
  /** The error's type. */
  type: string;
}

/** It has ended; nothing comes behind this. */
export interface CommandsStreamExitEvent {
  event: "exit";
  /** Its exit code; 128 and N when signal N ended it. */
  exit_code: number;
  /** The signal that ended it. */
  signal?: string;
  /** From its start to its end. */
  duration_ms: number;
  /** Something that it started still held a pipe. */
  background?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
}

export type CommandsStreamEvent = | CommandsStreamStartEvent | CommandsStreamStdoutEvent | CommandsStreamStderrEvent | CommandsStreamErrorEvent | CommandsStreamExitEvent;

/** Start a program that outlives the call. */
export interface ProcessStartParams {
  /** Text that the shell runs, as its -c argument. */
  command?: string | undefined;
  /** Program and arguments, without a shell. */
  argv?: (string)[] | undefined;
  /** The shell; /bin/bash where it exists, else /bin/sh. */
  shell?: string | undefined;
  /** Working directory; the base directory by default. */
  cwd?: string | undefined;
  /** The exact bytes of `cwd`, instead of it. */
  cwd_b64?: Uint8Array | string | undefined;
  /** Variables on top of the server's for children. */
  env?: Record<string, string> | undefined;
  /** User to run as, one that the policy lists. */
  user?: string | undefined;
  /** Whether its output is kept for process.output and process.follow. */
  capture_output?: boolean | undefined;
  /** Whether process.stdin can write to it; otherwise it reads end of file at once. */
  stdin?: boolean | undefined;
  /** A label of at most 128 bytes: not unique, not an address. */
  name?: string | undefined;
  /** Seconds until it and all that it started are ended; 0 is no limit. */
  timeout?: number | undefined;
}

/** Start a program that outlives the call. */
export interface ProcessStartResult {
  /** What it is addressed by. */
  id: string;
  /** Its process id, which addresses it too. */
  pid: number;
  /** What was started, cut after 1024 bytes. */
  command: string;
  /** When it was started. */
  started_at: string;
}

/** List processes. */
export interface ProcessListParams {
}

/** All of them, in the order of their starts. */
export interface Process {
  /** What it is addressed by. */
  id: string;
  /** Process id; of an ended one it may belong to somebody else by now. */
  pid: number;
  /** What was started, cut after 1024 bytes. */
  command: string;
  /** Its label. */
  name: string | null;
  /** Whether it runs. */
  state: string;
  /** When it was started. */
  started_at: string;
  /** When it ended. */
  ended_at?: string;
  /** Its exit code; 128 and N when signal N ended it; null while it runs. */
  exit_code: number | null;
  /** The signal that ended it. */
  signal?: string;
  /** It was ended by its timeout. */
  timed_out?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
  /** How many processes that descend from it live, itself not counted. */
  descendants: number;
  /** Processor time of it and its living descendants. */
  cpu_seconds: number;
  /** Memory that it and its descendants have resident now. */
  rss_bytes: number;
  /** Whether its output can be read. */
  capture_output: boolean;
  /** Whether its standard input can be written to. */
  stdin_open: boolean;
}

/** List processes. */
export interface ProcessListResult {
  /** All of them, in the order of their starts. */
  processes: Process[];
}

/** Look at one process. */
export interface ProcessGetParams {
  /** Its id, or its pid: then the newest process that had it is meant. */
  pid: string | number;
}

/** Limits of each process; those left out are the server's. */
export interface ProcessRlimits {
  /** Descriptors. */
  nofile?: number;
  /** Bytes of a core dump. */
  core?: number;
  /** Processes of the user. */
  nproc?: number;
  /** Bytes of a file. */
  fsize?: number;
  /** Seconds of CPU. */
  cpu?: number;
  /** Bytes of address space. */
  as?: number;
}

/** Limits of it with all that it starts; those left out are not set. */
export interface ProcessCgroup {
  /** It and all that it starts have a cgroup of their own. */
  own: boolean;
  /** Bytes of memory that they have together. */
  memory_max?: number;
  /** How many processes they may be. */
  pids_max?: number;
  /** CPUs that they have together. */
  cpu_max?: number;
}

/** What has been in force for it since its start. */
export interface ProcessConfinement {
  /** The kernel holds it to the roots and to what programs need of the system. */
  filesystem: boolean;
  /** It can signal only what it started itself. */
  signals: boolean;
  /** inherit, none, or tcp_denied where only TCP could be closed. */
  network: string;
  /** No program that it starts gains privileges, as by setuid. */
  no_new_privs: boolean;
  /** It has no capabilities, also as root. */
  capabilities_dropped: boolean;
  /** Whose rights it has; the number where the user has no name. */
  user: string;
  /** The user's number. */
  uid: number;
  /** The group's number. */
  gid: number;
  /** Limits of each process; those left out are the server's. */
  rlimits: ProcessRlimits;
  /** Limits of it with all that it starts; those left out are not set. */
  cgroup: ProcessCgroup;
}

/** Look at one process. */
export interface ProcessGetResult {
  /** What it is addressed by. */
  id: string;
  /** Process id; of an ended one it may belong to somebody else by now. */
  pid: number;
  /** What was started, cut after 1024 bytes. */
  command: string;
  /** Its label. */
  name: string | null;
  /** Whether it runs. */
  state: string;
  /** When it was started. */
  started_at: string;
  /** When it ended. */
  ended_at?: string;
  /** Its exit code; 128 and N when signal N ended it; null while it runs. */
  exit_code: number | null;
  /** The signal that ended it. */
  signal?: string;
  /** It was ended by its timeout. */
  timed_out?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
  /** How many processes that descend from it live, itself not counted. */
  descendants: number;
  /** Processor time of it and its living descendants. */
  cpu_seconds: number;
  /** Memory that it and its descendants have resident now. */
  rss_bytes: number;
  /** Whether its output can be read. */
  capture_output: boolean;
  /** Whether its standard input can be written to. */
  stdin_open: boolean;
  /** What has been in force for it since its start. */
  confinement: ProcessConfinement;
}

/** Send a signal to a process. */
export interface ProcessSignalParams {
  /** Its id, or its pid: then the newest process that had it is meant. */
  pid: string | number;
  /** Its name ("SIGTERM", the default) or its number. */
  signal?: unknown | undefined;
  /** Whether all that descend from the process get it too. */
  group?: boolean | undefined;
}

/** Send a signal to a process. */
export interface ProcessSignalResult {
  /** Process id. */
  pid: number;
  /** Name of the signal that was sent. */
  signal: string;
}

/** Write to a process's standard input. */
export interface ProcessStdinParams {
  /** Its id, or its pid: then the newest process that had it is meant. */
  pid: string | number;
  /** What to write, as text. */
  data?: string | undefined;
  /** What to write, as bytes in base64. */
  data_b64?: Uint8Array | string | undefined;
  /** Whether to close it behind the bytes. */
  eof?: boolean | undefined;
}

/** Write to a process's standard input. */
export interface ProcessStdinResult {
  /** Process id. */
  pid: number;
  /** How many bytes were written. */
  bytes: number;
}

/** Read what a process wrote, from an offset on. */
export interface ProcessOutputParams {
  /** Its id, or its pid: then the newest process that had it is meant. */
  pid: string | number;
  /** Offset of the first byte, counted over both streams since the start. */
  since?: number | undefined;
  /** Seconds to wait for a byte or the end when there is none yet. */
  wait?: number | undefined;
  /** Most bytes to return. */
  max_bytes?: number | undefined;
  /** Which stream; offsets count both in any case. */
  stream?: "both" | "stdout" | "stderr" | undefined;
  /** How the bytes are given: as text, or exactly. */
  encoding?: "utf-8" | "base64" | undefined;
}

/** What was written, in its order. */
export interface OutputChunk {
  /** Where the process wrote it. */
  stream: string;
  /** Offset of its first byte. */
  offset: number;
  /** The bytes, as text or base64. */
  data: string;
  /** Bytes that are not UTF-8 were replaced: encoding=base64 gives them. */
  lossy?: boolean;
}

/** Read what a process wrote, from an offset on. */
export interface ProcessOutputResult {
  /** Process id. */
  pid: number;
  /** What was written, in its order. */
  chunks: OutputChunk[];
  /** The offset that was asked for. */
  since: number;
  /** Where to go on reading. */
  next: number;
  /** How many of the bytes asked for were older than what is kept, and are gone. */
  dropped: number;
  /** Whether nothing will come behind 'next'. */
  eof: boolean;
  /** Whether the process runs. */
  state: string;
  /** Its exit code; 128 and N when signal N ended it; null while it runs. */
  exit_code: number | null;
  /** The signal that ended it. */
  signal?: string;
  /** It was ended by its timeout. */
  timed_out?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
}

/** The output of a process as it comes. */
export interface ProcessFollowParams {
  /** Its id, or its pid: then the newest process that had it is meant. */
  pid: string | number;
  /** Offset of the first byte; a Last-Event-ID header goes before it. */
  since?: number | undefined;
  /** Which stream; offsets count both in any case. */
  stream?: "both" | "stdout" | "stderr" | undefined;
  /** How the bytes are given: as text, or exactly. */
  encoding?: "utf-8" | "base64" | undefined;
}

/** Output. */
export interface ProcessFollowChunkEvent {
  event: "chunk";
  /** Where the process wrote it. */
  stream: string;
  /** Offset of its first byte. */
  offset: number;
  /** The bytes, as text or base64. */
  data: string;
  /** Bytes that are not UTF-8 were replaced. */
  lossy?: boolean;
}

/** Output that was dropped before this reader came to it. */
export interface ProcessFollowGapEvent {
  event: "gap";
  /** Offset of the first byte that is gone. */
  from: number;
  /** Offset of the next one that is there. */
  to: number;
  /** How many bytes are gone. */
  dropped: number;
}

/** What went wrong; the fields are those of an error's body. */
export interface ProcessFollowErrorEvent {
  event: "error";
  /** What went wrong. */
  error: string;
  /** The error's dotted code. */
  wire_code: string;
  /** The error's flat v1 code. */
  code: string;
  /** The error's type. */
  type: string;
}

/** It has ended; nothing comes behind this. */
export interface ProcessFollowExitEvent {
  event: "exit";
  /** Its exit code; 128 and N when signal N ended it. */
  exit_code: number;
  /** The signal that ended it. */
  signal?: string;
  /** From its start to its end. */
  duration_ms: number;
  /** Something that it started still held a pipe. */
  background?: boolean;
  /** It was ended by its timeout. */
  timed_out?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
}

export type ProcessFollowEvent = | ProcessFollowChunkEvent | ProcessFollowGapEvent | ProcessFollowErrorEvent | ProcessFollowExitEvent;

/** Start a program on a terminal. */
export interface TerminalCreateParams {
  /** Text that the shell runs, as its -c argument. */
  command?: string | undefined;
  /** Program and arguments, without a shell. */
  argv?: (string)[] | undefined;
  /** The shell; /bin/bash where it exists, else /bin/sh. */
  shell?: string | undefined;
  /** Working directory; the base directory by default. */
  cwd?: string | undefined;
  /** The exact bytes of `cwd`, instead of it. */
  cwd_b64?: Uint8Array | string | undefined;
  /** Variables on top of the server's for children. */
  env?: Record<string, string> | undefined;
  /** User to run as, one that the policy lists. */
  user?: string | undefined;
  /** Columns. */
  cols?: number | undefined;
  /** Rows. */
  rows?: number | undefined;
  /** How much of the output is kept for those who attach later. */
  scrollback_bytes?: number | undefined;
}

/** Start a program on a terminal. */
export interface TerminalCreateResult {
  /** The session's id. */
  session_id: string;
  /** Where to attach: with a ticket that opens this session once within 60 seconds. */
  ws_url: string;
  /** Process id of the program. */
  pid: number;
}

/** List the terminal sessions. */
export interface TerminalListParams {
}

/** In the order of their creation. */
export interface TerminalSession {
  /** The session's id. */
  id: string;
  /** Process id of its program. */
  pid: number;
  /** When it was created. */
  created_at: string;
  /** Columns. */
  cols: number;
  /** Rows. */
  rows: number;
  /** Whether its program still runs. */
  alive: boolean;
  /** How many are attached. */
  clients: number;
  /** How it ended; 128 and N when signal N ended it; null while it runs. */
  exit_code: number | null;
  /** The signal that ended it. */
  signal?: string;
}

/** List the terminal sessions. */
export interface TerminalListResult {
  /** In the order of their creation. */
  sessions: TerminalSession[];
}

/** Tell about one terminal session. */
export interface TerminalGetParams {
  /** The session's id. */
  id: string | number;
}

/** Tell about one terminal session. */
export interface TerminalGetResult {
  /** The session's id. */
  id: string;
  /** Process id of its program. */
  pid: number;
  /** When it was created. */
  created_at: string;
  /** Columns. */
  cols: number;
  /** Rows. */
  rows: number;
  /** Whether its program still runs. */
  alive: boolean;
  /** How many are attached. */
  clients: number;
  /** How it ended; 128 and N when signal N ended it; null while it runs. */
  exit_code: number | null;
  /** The signal that ended it. */
  signal?: string;
}

/** Change the size of a terminal. */
export interface TerminalResizeParams {
  /** The session's id. */
  id: string | number;
  /** Columns. */
  cols: number;
  /** Rows. */
  rows: number;
}

/** Change the size of a terminal. */
export interface TerminalResizeResult {
  /** The session's id. */
  session_id: string;
  /** Columns, as they are now. */
  cols: number;
  /** Rows, as they are now. */
  rows: number;
}

/** End a terminal session. */
export interface TerminalDeleteParams {
  /** The session's id. */
  id: string | number;
}

/** End a terminal session. */
export interface TerminalDeleteResult {
  /** "closed". */
  status: string;
  /** The session's id. */
  session_id: string;
}

/** Attach to a terminal session. */
export interface TerminalConnectParams {
  /** The session's id. */
  session_id: string;
  /** The one-time ticket of ws_url, instead of a token. */
  ticket?: string | undefined;
}

/** Tell what the sandbox is made of. */
export interface SystemInfoParams {
}

/** Tell what the sandbox is made of. */
export interface SystemInfoResult {
  /** The system's name. */
  os: string;
  /** The machine's kind. */
  arch: string;
  /** The kernel's release. */
  kernel: string;
  /** The distribution. */
  distro: string | null;
  /** The host's name. */
  hostname: string;
  /** CPUs that may be used at once, the quota rounded up. */
  cpu_count: number;
  /** CPUs of the machine. */
  host_cpu_count: number;
  /** The cgroup's quota in CPUs; null: none. */
  cpu_quota: number | null;
  /** MiB that may be used: the cgroup's limit, or the machine's memory. */
  memory_total_mb: number | null;
  /** MiB of it that are not in use. */
  memory_available_mb: number | null;
  /** The cgroup's limit in MiB; null: none. */
  memory_limit_mb: number | null;
  /** MiB of the machine. */
  host_memory_total_mb: number | null;
  /** GiB of the file system of the base directory. */
  disk_total_gb: number | null;
  /** GiB of it that can be written. */
  disk_free_gb: number | null;
  /** Of python3; null: there is none. */
  python_version: string | null;
  /** Of Node.js; null: there is none. */
  node_version: string | null;
  /** The kind of container, docker for example; null: no sign of one. */
  container: string | null;
  /** Since the sandbox's first process began. */
  uptime_seconds: number | null;
}

/** Tell how much of the sandbox is in use now. */
export interface SystemMetricsParams {
}

/** The network. */
export interface NetworkFigures {
  /** Bytes received, loopback apart. */
  rx_bytes: number | null;
  /** Bytes sent, loopback apart. */
  tx_bytes: number | null;
}

/** Tell how much of the sandbox is in use now. */
export interface SystemMetricsResult {
  /** Load average of one minute. */
  cpu_load_1m: number | null;
  /** Load average of five minutes. */
  cpu_load_5m: number | null;
  /** Load average of fifteen minutes. */
  cpu_load_15m: number | null;
  /** Use of the CPU just now: of the quota where there is one, else of all CPUs. */
  cpu_percent: number | null;
  /** MiB in use, without page cache. */
  memory_used_mb: number | null;
  /** MiB that may be used: the cgroup's limit, or the machine's memory. */
  memory_total_mb: number | null;
  /** MiB of page cache, which is given back when memory is short. */
  memory_cache_mb: number | null;
  /** Share of the memory that is in use. */
  memory_percent: number | null;
  /** GiB in use on the file system of the base directory. */
  disk_used_gb: number | null;
  /** GiB that it has. */
  disk_total_gb: number | null;
  /** Share of it that is in use. */
  disk_percent: number | null;
  /** Since the sandbox's first process began. */
  uptime_seconds: number | null;
  /** Processes that can be seen. */
  processes: number | null;
  /** Terminal sessions. */
  open_sessions: number;
  /** The network. */
  network: NetworkFigures;
}

/** Show the variables that programs are started with. */
export interface SystemEnvGetParams {
  /** Only these names, with commas between; a name may end in *. */
  filter?: string | undefined;
  /** The same. */
  names?: string | undefined;
}

/** Show the variables that programs are started with. */
export interface SystemEnvGetResult {
  /** The variables by name. */
  variables: Record<string, string>;
  /** Bytes that are not UTF-8 were replaced. */
  lossy?: boolean;
}

/** Set variables for the programs that are started from now on. */
export interface SystemEnvSetParams {
  /** Variables by name; null takes one away. */
  vars: Record<string, string | null>;
}

/** Set variables for the programs that are started from now on. */
export interface SystemEnvSetResult {
  /** The names, in the order given. */
  updated: (string)[];
}

/** List the ports that somebody listens on. */
export interface SystemPortsParams {
}

/** TCP listeners and bound UDP sockets, by port. */
export interface ListeningPort {
  /** The port. */
  port: number;
  /** A dual-stack socket stands under IPv6. */
  protocol: string;
  /** The address that it is bound to. */
  address: string;
  /** Whose it is; null where that cannot be seen. */
  pid: number | null;
  /** The program's name. */
  process: string | null;
}

/** List the ports that somebody listens on. */
export interface SystemPortsResult {
  /** TCP listeners and bound UDP sockets, by port. */
  listening: ListeningPort[];
  /** Whether there are more than are listed. */
  truncated: boolean;
}

/** List the packages that a package manager has installed. */
export interface SystemPackagesParams {
  /** Whose packages. */
  manager?: "pip" | "npm" | "apt" | "apk" | "cargo" | undefined;
}

/** Empty where there is no such manager. */
export interface Package {
  /** Its name. */
  name: string;
  /** Its version. */
  version: string;
}

/** List the packages that a package manager has installed. */
export interface SystemPackagesResult {
  /** Whose packages these are. */
  manager: string;
  /** Empty where there is no such manager. */
  packages: Package[];
}

/** Give the figures of the sandbox and of the server as Prometheus reads them. */
export interface SystemPrometheusParams {
}

/** Give the figures of the sandbox and of the server as Prometheus reads them. */
export interface SystemPrometheusResult {
  /** The whole text. */
  text: string;
}

/** Run a piece of code and answer when it has ended. */
export interface DevtoolsCodeRunParams {
  /** The code; may be empty. */
  code: string;
  /** python, node, bash, or what the policy's devtools.languages adds. */
  language?: string | undefined;
  /** Seconds until it is ended with all that it started; 0 is no limit. */
  timeout?: number | undefined;
  /** Working directory, where modules are found; the base directory by default. */
  cwd?: string | undefined;
  /** The exact bytes of `cwd`, instead of it. */
  cwd_b64?: Uint8Array | string | undefined;
  /** Variables on top of the server's for children. */
  env?: Record<string, string> | undefined;
  /** Standard input as text; without it end of file at once. */
  stdin?: string | undefined;
}

/** Run a piece of code and answer when it has ended. */
export interface DevtoolsCodeRunResult {
  /** What the code wrote to standard output. */
  stdout: string;
  /** What it wrote to standard error. */
  stderr: string;
  /** The interpreter's exit code; 128 and N when signal N ended it. */
  exit_code: number;
  /** The signal that ended it. */
  signal?: string;
  /** The language. */
  language: string;
  /** From its start to its end. */
  execution_time_ms: number;
  /** Whether bytes of stdout are missing. */
  stdout_truncated: boolean;
  /** Whether bytes of stderr are missing. */
  stderr_truncated: boolean;
  /** How many bytes of stdout there were in all. */
  stdout_bytes: number;
  /** How many bytes of stderr there were in all. */
  stderr_bytes: number;
  /** The timeout that was in force, in seconds; 0 none. */
  timeout: number;
  /** Something that it started still held a pipe at the answer. */
  background?: boolean;
  /** Bytes that are not UTF-8 were replaced. */
  lossy?: boolean;
  /** The kernel ended it for want of memory. */
  oom_killed?: boolean;
}

/** Tell which files of a git repository differ, and where its branch stands. */
export interface DevtoolsGitStatusParams {
  /** A folder of the repository. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
}

/** What differs; a file that differs in the index and in the folder stands there twice. */
export interface GitFile {
  /** The file, relative to the repository's root. */
  path: string;
  /** The exact path where it is not UTF-8. */
  path_b64?: string;
  /** What happened to it. */
  status: string;
  /** Whether this is in the index, and not only in the folder. */
  staged: boolean;
  /** Where it was, of one renamed or copied. */
  old_path?: string;
  /** The exact old path where it is not UTF-8. */
  old_path_b64?: string;
}

/** Tell which files of a git repository differ, and where its branch stands. */
export interface DevtoolsGitStatusResult {
  /** The repository's root: what paths are relative to. */
  root: string;
  /** The exact root where it is not UTF-8. */
  root_b64?: string;
  /** The branch; null when HEAD is detached. */
  branch: string | null;
  /** The branch that it follows; null where there is none. */
  upstream: string | null;
  /** The commit of HEAD; null when there is none yet. */
  commit: string | null;
  /** Commits that the upstream does not have. */
  ahead: number;
  /** Commits that only the upstream has. */
  behind: number;
  /** Whether nothing differs. */
  clean: boolean;
  /** What differs; a file that differs in the index and in the folder stands there twice. */
  files: GitFile[];
  /** Whether more files differ than are listed. */
  truncated: boolean;
}

/** Show what changed in a git repository. */
export interface DevtoolsGitDiffParams {
  /** A folder of the repository. */
  path?: string | undefined;
  /** The exact bytes of `path`, instead of it. */
  path_b64?: Uint8Array | string | undefined;
  /** What is in the index and not in HEAD, instead of what is not in the index. */
  staged?: boolean | undefined;
  /** Only this file or folder, relative to 'path'; it need not be there any more. */
  file?: string | undefined;
  /** The exact bytes of `file`, instead of it. */
  file_b64?: Uint8Array | string | undefined;
}

/** The figures of all of it. */
export interface GitStats {
  /** How many files changed. */
  files_changed: number;
  /** Lines that were added. */
  insertions: number;
  /** Lines that were taken away. */
  deletions: number;
}

/** Show what changed in a git repository. */
export interface DevtoolsGitDiffResult {
  /** The repository's root: what paths are relative to. */
  root: string;
  /** The exact root where it is not UTF-8. */
  root_b64?: string;
  /** The patch, at most 1 MiB of it. */
  diff: string;
  /** The figures of all of it. */
  stats: GitStats;
  /** Whether the patch goes on. */
  truncated: boolean;
  /** Bytes of the patch that are not UTF-8 were replaced: it cannot be applied. */
  lossy?: boolean;
}

/** Go to an address and wait until the page is there. */
export interface BrowserNavigateParams {
  /** Where to go: http, https, data or about:blank. */
  url: string;
  /** When the page counts as there: its load event, its DOM, no request for 500 ms, or the first byte. */
  wait_until?: "load" | "domcontentloaded" | "networkidle" | "commit" | undefined;
  /** Milliseconds until it is given up. */
  timeout?: number | undefined;
}

/** Go to an address and wait until the page is there. */
export interface BrowserNavigateResult {
  /** Where the page is, after redirects. */
  url: string;
  /** Its title. */
  title: string;
  /** The HTTP status of the main document; null where there was no HTTP. */
  status: number | null;
}

/** Take a picture of the page or of one element. */
export interface BrowserScreenshotParams {
  /** CSS selector of one element; without it the page. */
  selector?: string | undefined;
  /** The whole page instead of what a window shows; not asked with a selector. */
  full_page?: boolean | undefined;
  /** The kind of picture. */
  format?: "png" | "jpeg" | undefined;
  /** Of a jpeg. */
  quality?: number | undefined;
}

/** Take a picture of the page or of one element. */
export interface BrowserScreenshotResult {
  /** The picture. */
  image_base64: string;
  /** Its width in pixels. */
  width: number;
  /** Its height in pixels. */
  height: number;
}

/** Read the page as HTML or text. */
export interface BrowserContentParams {
  /** The document as it is now, or the text that it shows. */
  type?: "html" | "text" | undefined;
}

/** Read the page as HTML or text. */
export interface BrowserContentResult {
  /** The content. */
  content: string;
  /** Where the page is. */
  url: string;
  /** Its title. */
  title: string;
}

/** Click on an element. */
export interface BrowserClickParams {
  /** CSS selector of the element; the first that matches. */
  selector: string;
  /** Milliseconds until it is given up. */
  timeout?: number | undefined;
}

/** Click on an element. */
export interface BrowserClickResult {
  /** Always true. */
  clicked: boolean;
  /** The selector. */
  selector: string;
}

/** Type text into an element. */
export interface BrowserTypeParams {
  /** CSS selector of the element; the first that matches. */
  selector: string;
  /** What is typed; a line feed is the Enter key, a tab the Tab key. */
  text: string;
  /** Milliseconds between two keys. */
  delay?: number | undefined;
  /** Whether what the element holds is removed first. */
  clear?: boolean | undefined;
}

/** Type text into an element. */
export interface BrowserTypeResult {
  /** Always true. */
  typed: boolean;
  /** The selector. */
  selector: string;
  /** The text. */
  text: string;
}

/** Run a script in the page and answer with its value. */
export interface BrowserEvaluateParams {
  /** JavaScript; its last expression is the result, a promise is awaited. */
  script: string;
  /** Milliseconds until it is ended. */
  timeout?: number | undefined;
}

/** Run a script in the page and answer with its value. */
export interface BrowserEvaluateResult {
  /** The value as JSON; undefined is null. */
  result: unknown;
}

/** Print the page as a PDF document. */
export interface BrowserPdfParams {
  /** The size of the paper. */
  format?: "A3" | "A4" | "A5" | "Letter" | "Legal" | "Tabloid" | undefined;
  /** Whether the paper lies on its long side. */
  landscape?: boolean | undefined;
}

/** Print the page as a PDF document. */
export interface BrowserPdfResult {
  /** The document. */
  pdf_base64: string;
  /** How many pages it has. */
  pages: number;
}

/** Read what the page has written to its console. */
export interface BrowserConsoleParams {
}

/** The oldest first, at most the last 1000. */
export interface BrowserLog {
  /** log, info, warning, error, debug and so on of the console; exception, dialog, download, crash. */
  type: string;
  /** What was said. */
  text: string;
  /** When. */
  timestamp: string;
}

/** Read what the page has written to its console. */
export interface BrowserConsoleResult {
  /** The oldest first, at most the last 1000. */
  logs: BrowserLog[];
}

/** The server's table of errors. */
export const errorTable: Record<string, ErrorRow> = {
  "auth.missing_credentials": { status: 401, code: "unauthorized", type: "AuthError", exception: "ServerAuthError", e_code: "E3101" },
  "auth.invalid_token": { status: 401, code: "unauthorized", type: "AuthError", exception: "ServerAuthError", e_code: "E3101" },
  "auth.token_expired": { status: 401, code: "token_expired", type: "AuthError", exception: "ServerAuthError", e_code: "E3101" },
  "auth.conflicting_credentials": { status: 401, code: "conflicting_credentials", type: "AuthError", exception: "ServerAuthError", e_code: "E3101" },
  "policy.scope_denied": { status: 403, code: "scope_denied", type: "PermissionError", exception: "PolicyDeniedError", e_code: "E3102" },
  "policy.origin_denied": { status: 403, code: "origin_denied", type: "PermissionError", exception: "PolicyDeniedError", e_code: "E3102" },
  "policy.command_denied": { status: 403, code: "command_not_allowed", type: "PermissionError", exception: "PolicyDeniedError", e_code: "E3102" },
  "policy.env_denied": { status: 403, code: "env_protected", type: "PermissionError", exception: "PolicyDeniedError", e_code: "E3102" },
  "policy.signal_denied": { status: 403, code: "signal_not_allowed", type: "PermissionError", exception: "PolicyDeniedError", e_code: "E3102" },
  "policy.host_denied": { status: 403, code: "host_not_allowed", type: "PermissionError", exception: "PolicyDeniedError", e_code: "E3102" },
  "policy.path_denied": { status: 403, code: "path_not_allowed", type: "PermissionError", exception: "FilePolicyDeniedError", e_code: "E3104" },
  "policy.path_readonly": { status: 403, code: "path_readonly", type: "PermissionError", exception: "FilePolicyDeniedError", e_code: "E3104" },
  "op.not_enabled": { status: 404, code: "endpoint_disabled", type: "NotFoundError", exception: "OperationNotEnabledError", e_code: "E3103" },
  "op.unknown": { status: 404, code: "not_found", type: "NotFoundError", exception: "ContractMismatchError", e_code: "E3110" },
  "op.method_not_allowed": { status: 405, code: "method_not_allowed", type: "ValueError", exception: "ContractMismatchError", e_code: "E3110" },
  "custom.unknown_command": { status: 404, code: "unknown_command", type: "ValueError", exception: "CommandNotFoundError", e_code: "E3005" },
  "custom.failed": { status: 500, code: "command_failed", type: "CommandError", exception: "ExecutionError", e_code: "E3000" },
  "limit.body_too_large": { status: 413, code: "too_large", type: "ResourceError", exception: "LimitExceededError", e_code: "E3105" },
  "limit.file_too_large": { status: 413, code: "too_large", type: "ResourceError", exception: "LimitExceededError", e_code: "E3105" },
  "limit.too_many": { status: 429, code: "too_many", type: "ResourceError", exception: "LimitExceededError", e_code: "E3105" },
  "limit.rate": { status: 429, code: "rate_limited", type: "ResourceError", exception: "LimitExceededError", e_code: "E3105" },
  "runtime.unavailable": { status: 503, code: "runtime_unavailable", type: "RuntimeError", exception: "ServerUnavailableError", e_code: "E3108" },
  "server.shutting_down": { status: 503, code: "unavailable", type: "RuntimeError", exception: "ServerUnavailableError", e_code: "E3108" },
  "server.busy": { status: 503, code: "unavailable", type: "RuntimeError", exception: "ServerUnavailableError", e_code: "E3108" },
  "server.internal": { status: 500, code: "internal", type: "InternalError", exception: "ServerInternalError", e_code: "E3109" },
  "http.bad_request": { status: 400, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.timeout": { status: 408, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.uri_too_long": { status: 414, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.expectation": { status: 417, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.headers_too_large": { status: 431, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.upgrade_required": { status: 426, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.not_implemented": { status: 501, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "http.version": { status: 505, code: "bad_request", type: "ValueError", exception: "ServerAPIError", e_code: "E3100" },
  "args.invalid": { status: 400, code: "invalid_argument", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "args.unknown": { status: 400, code: "invalid_argument", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "args.missing": { status: 400, code: "invalid_argument", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "args.invalid_json": { status: 400, code: "invalid_argument", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "args.unsupported_media_type": { status: 415, code: "invalid_argument", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "args.idempotency_mismatch": { status: 409, code: "invalid_argument", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "files.not_found": { status: 404, code: "file_not_found", type: "FileNotFoundError", exception: "FileNotFoundError_", e_code: "E4001" },
  "files.exists": { status: 409, code: "conflict", type: "FileExistsError", exception: "FileOperationError", e_code: "E4000" },
  "files.not_a_directory": { status: 409, code: "conflict", type: "NotADirectoryError", exception: "FileOperationError", e_code: "E4000" },
  "files.is_a_directory": { status: 409, code: "conflict", type: "IsADirectoryError", exception: "FileOperationError", e_code: "E4000" },
  "files.not_empty": { status: 409, code: "conflict", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.busy": { status: 409, code: "conflict", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.not_regular": { status: 409, code: "conflict", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.changed": { status: 412, code: "precondition_failed", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.permission_denied": { status: 403, code: "os_permission_denied", type: "PermissionError", exception: "PermissionDeniedError", e_code: "E4002" },
  "files.no_space": { status: 507, code: "no_space", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.io": { status: 500, code: "io_error", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.no_match": { status: 409, code: "conflict", type: "OSError", exception: "FileOperationError", e_code: "E4000" },
  "files.range": { status: 416, code: "invalid_range", type: "ValueError", exception: "ServerArgumentError", e_code: "E3111" },
  "commands.timeout": { status: 408, code: "timeout", type: "TimeoutError", exception: "CommandTimeoutError", e_code: "E3001" },
  "commands.cannot_start": { status: 400, code: "cannot_start", type: "ProcessError", exception: "ExecutionError", e_code: "E3000" },
  "process.not_found": { status: 404, code: "process_not_found", type: "NotFoundError", exception: "ServerAPIError", e_code: "E3100" },
  "process.exited": { status: 409, code: "already_exited", type: "ProcessError", exception: "ServerAPIError", e_code: "E3100" },
  "process.no_stdin": { status: 409, code: "no_stdin", type: "ProcessError", exception: "ServerAPIError", e_code: "E3100" },
  "process.stdin_closed": { status: 409, code: "stdin_closed", type: "ProcessError", exception: "ServerAPIError", e_code: "E3100" },
  "process.not_captured": { status: 409, code: "not_captured", type: "ProcessError", exception: "ServerAPIError", e_code: "E3100" },
  "terminal.not_found": { status: 404, code: "session_not_found", type: "NotFoundError", exception: "ServerAPIError", e_code: "E3100" },
  "terminal.closed": { status: 409, code: "session_closed", type: "ProcessError", exception: "ServerAPIError", e_code: "E3100" },
  "git.failed": { status: 400, code: "git_failed", type: "GitError", exception: "ServerAPIError", e_code: "E3100" },
  "browser.timeout": { status: 408, code: "browser_timeout", type: "BrowserError", exception: "ServerAPIError", e_code: "E3100" },
  "browser.not_found": { status: 404, code: "element_not_found", type: "BrowserError", exception: "ServerAPIError", e_code: "E3100" },
  "browser.failed": { status: 502, code: "browser_failed", type: "BrowserError", exception: "ServerAPIError", e_code: "E3100" },
  "browser.crashed": { status: 502, code: "browser_crashed", type: "BrowserError", exception: "ServerAPIError", e_code: "E3100" },
};

/** Every op, as the runtime needs it. */
export const catalog = {
  "core.health": {"id": "core.health", "endpoint": "health", "group": "core", "scope": null, "kind": "json", "method": "GET", "path": "/health", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "core.capabilities": {"id": "core.capabilities", "endpoint": "capabilities", "group": "core", "scope": "core:read", "kind": "json", "method": "GET", "path": "/capabilities", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "core.check": {"id": "core.check", "endpoint": "capabilities_check", "group": "core", "scope": "core:read", "kind": "json", "method": "POST", "path": "/capabilities/check", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"op","in":"body","type":"string","required":false},{"name":"endpoint","in":"body","type":"string","required":false},{"name":"path","in":"body","type":"string","required":false},{"name":"paths","in":"body","type":"array","required":false,"items":{"type":"string"}},{"name":"args","in":"body","type":"any","required":false},{"name":"checks","in":"body","type":"array","required":false,"items":{"type":"object","name":"Check","fields":[{"name":"op","type":"string","required":false},{"name":"endpoint","type":"string","required":false},{"name":"path","type":"string","required":false},{"name":"paths","type":"array","required":false,"items":{"type":"string"}},{"name":"args","type":"any","required":false}]}}], "one_of": [["op","endpoint","checks"]], "limits": []},
  "core.describe": {"id": "core.describe", "endpoint": null, "group": "core", "scope": "core:read", "kind": "json", "method": "GET", "path": "/ops", "also": "/ops/{id}", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"id","in":"path","type":"string","required":false}], "one_of": [], "limits": []},
  "core.openapi": {"id": "core.openapi", "endpoint": null, "group": "core", "scope": "core:read", "kind": "json", "method": "GET", "path": "/openapi.json", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "core.reload": {"id": "core.reload", "endpoint": null, "group": "core", "scope": "admin", "kind": "json", "method": "POST", "path": "/reload", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "custom.list": {"id": "custom.list", "endpoint": "list_commands", "group": "commands", "scope": "commands:list", "kind": "json", "method": "GET", "path": "/commands", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "files.list": {"id": "files.list", "endpoint": "files_list", "group": "file_ops", "scope": "files:read", "kind": "json", "method": "GET", "path": "/files/list", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"},{"name":"recursive","in":"query","type":"boolean","required":false,"default":false},{"name":"depth","in":"query","type":"integer","required":false,"default":3,"minimum":1,"maximum":64},{"name":"max_entries","in":"query","type":"integer","required":false,"default":1000,"minimum":1,"maximum":100000},{"name":"hidden","in":"query","type":"boolean","required":false,"default":true}], "one_of": [], "limits": []},
  "files.stat": {"id": "files.stat", "endpoint": "files_stat", "group": "file_ops", "scope": "files:read", "kind": "json", "method": "GET", "path": "/files/stat", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"},{"name":"follow","in":"query","type":"boolean","required":false,"default":true}], "one_of": [], "limits": []},
  "files.mkdir": {"id": "files.mkdir", "endpoint": "files_mkdir", "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/mkdir", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"parents","in":"body","type":"boolean","required":false,"default":true},{"name":"mode","in":"body","type":"string","required":false}], "one_of": [], "limits": []},
  "files.delete": {"id": "files.delete", "endpoint": "files_delete", "group": "file_ops", "scope": "files:write", "kind": "json", "method": "DELETE", "path": "/files", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"},{"name":"recursive","in":"query","type":"boolean","required":false,"default":true}], "one_of": [], "limits": []},
  "files.move": {"id": "files.move", "endpoint": "files_move", "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/move", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"source","in":"body","type":"path","required":true,"b64":"source_b64"},{"name":"destination","in":"body","type":"path","required":true,"b64":"destination_b64"},{"name":"overwrite","in":"body","type":"boolean","required":false,"default":true},{"name":"parents","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "limits": []},
  "files.search": {"id": "files.search", "endpoint": "files_search", "group": "file_ops", "scope": "files:read", "kind": "json", "method": "POST", "path": "/files/search", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"pattern","in":"body","type":"string","required":true},{"name":"max_depth","in":"body","type":"integer","required":false,"default":5,"minimum":1,"maximum":100000},{"name":"max_results","in":"body","type":"integer","required":false,"default":100,"minimum":1,"maximum":100000},{"name":"type","in":"body","type":"choice","required":false,"default":"any","choices":["any","file","directory","symlink","other"]},{"name":"hidden","in":"body","type":"boolean","required":false,"default":true},{"name":"timeout","in":"body","type":"number","required":false,"default":10,"minimum":0,"maximum":3600}], "one_of": [], "limits": []},
  "files.upload_stream": {"id": "files.upload_stream", "endpoint": "files_upload_stream", "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "POST", "path": "/files/upload-stream", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"content_base64","in":"body","type":"bytes","required":false},{"name":"mode","in":"body","type":"string","required":false},{"name":"create_only","in":"body","type":"boolean","required":false,"default":false},{"name":"parents","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "raw": {"request":true,"response":false,"multipart":true,"media_type":null}, "limits": [{"name":"max_bytes","default":104857600,"cap":1125899906842624,"error":"limit.file_too_large"},{"name":"max_files","default":100,"cap":1000,"error":"limit.file_too_large"}]},
  "files.download_stream": {"id": "files.download_stream", "endpoint": "files_download_stream", "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "GET", "path": "/files/download-stream", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"}], "one_of": [], "raw": {"request":false,"response":true,"media_type":"application/octet-stream"}, "limits": [{"name":"max_bytes","default":104857600,"cap":104857600,"error":"limit.file_too_large"}]},
  "files.archive": {"id": "files.archive", "endpoint": "files_archive", "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "POST", "path": "/files/archive", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":false}, "params": [{"name":"paths","in":"body","type":"array","required":true,"b64":"paths_b64","items":{"type":"path"}},{"name":"format","in":"body","type":"choice","required":false,"default":"tar.gz","choices":["tar","tar.gz","tar.zst","zip"]}], "one_of": [], "raw": {"request":false,"response":true,"media_type":"application/octet-stream"}, "limits": [{"name":"max_files","default":10000,"cap":10000,"error":"limit.file_too_large"},{"name":"max_bytes","default":104857600,"cap":104857600,"error":"limit.file_too_large"}]},
  "files.watch": {"id": "files.watch", "endpoint": "files_watch", "group": "file_ops", "scope": "files:read", "kind": "sse", "method": "GET", "path": "/files/watch", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"},{"name":"recursive","in":"query","type":"boolean","required":false,"default":false},{"name":"timeout","in":"query","type":"number","required":false,"default":0,"minimum":0,"maximum":1000000000},{"name":"max_events","in":"query","type":"integer","required":false,"default":0,"minimum":0,"maximum":9007199254740991},{"name":"mode","in":"query","type":"choice","required":false,"default":"auto","choices":["auto","inotify","poll"]},{"name":"poll_ms","in":"query","type":"integer","required":false,"default":500,"minimum":10,"maximum":3600000}], "one_of": [], "limits": [], "finals": ["end"]},
  "files.upload": {"id": "files.upload", "endpoint": "upload", "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "POST", "path": "/upload", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"content_base64","in":"body","type":"bytes","required":false},{"name":"mode","in":"body","type":"string","required":false},{"name":"create_only","in":"body","type":"boolean","required":false,"default":false},{"name":"parents","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "raw": {"request":true,"response":false,"media_type":null}, "limits": [{"name":"max_bytes","default":104857600,"cap":1125899906842624,"error":"limit.file_too_large"}]},
  "files.download": {"id": "files.download", "endpoint": "download", "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "GET", "path": "/download", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"}], "one_of": [], "raw": {"request":false,"response":true,"media_type":"application/octet-stream"}, "limits": [{"name":"max_bytes","default":104857600,"cap":104857600,"error":"limit.file_too_large"}]},
  "files.read": {"id": "files.read", "endpoint": null, "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "GET", "path": "/files/read", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":true,"b64":"path_b64"},{"name":"offset","in":"query","type":"integer","required":false,"default":0,"minimum":0,"maximum":9007199254740991},{"name":"limit","in":"query","type":"integer","required":false,"minimum":1,"maximum":9007199254740991},{"name":"encoding","in":"query","type":"choice","required":false,"default":"utf-8","choices":["utf-8","base64","bytes"]},{"name":"lines","in":"query","type":"string","required":false}], "one_of": [], "raw": {"request":false,"response":true,"media_type":"application/octet-stream"}, "limits": [{"name":"max_bytes","default":10485760,"cap":104857600,"error":null}]},
  "files.write": {"id": "files.write", "endpoint": null, "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "PUT", "path": "/files/write", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"content","in":"body","type":"string","required":false},{"name":"content_base64","in":"body","type":"bytes","required":false},{"name":"append","in":"body","type":"boolean","required":false,"default":false},{"name":"create_only","in":"body","type":"boolean","required":false,"default":false},{"name":"mode","in":"body","type":"string","required":false},{"name":"parents","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "raw": {"request":true,"response":false,"media_type":null}, "limits": [{"name":"max_bytes","default":104857600,"cap":1125899906842624,"error":"limit.file_too_large"}]},
  "files.edit": {"id": "files.edit", "endpoint": null, "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/edit", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"edits","in":"body","type":"array","required":false,"items":{"type":"object","name":"Edit","fields":[{"name":"old","type":"string","required":true},{"name":"new","type":"string","required":true},{"name":"count","type":"integer","required":false}]}},{"name":"patch","in":"body","type":"string","required":false}], "one_of": [["edits","patch"]], "limits": [{"name":"max_bytes","default":16777216,"cap":104857600,"error":"limit.file_too_large"}]},
  "files.grep": {"id": "files.grep", "endpoint": null, "group": "file_ops", "scope": "files:read", "kind": "json", "method": "POST", "path": "/files/grep", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"pattern","in":"body","type":"string","required":true},{"name":"glob","in":"body","type":"string","required":false},{"name":"ignore_case","in":"body","type":"boolean","required":false,"default":false},{"name":"literal","in":"body","type":"boolean","required":false,"default":false},{"name":"context","in":"body","type":"integer","required":false,"default":0,"minimum":0,"maximum":50},{"name":"max_results","in":"body","type":"integer","required":false,"default":1000,"minimum":1,"maximum":100000},{"name":"no_ignore","in":"body","type":"boolean","required":false,"default":false},{"name":"timeout","in":"body","type":"number","required":false,"default":10,"minimum":0,"maximum":3600}], "one_of": [], "limits": []},
  "files.copy": {"id": "files.copy", "endpoint": null, "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/copy", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"source","in":"body","type":"path","required":true,"b64":"source_b64"},{"name":"destination","in":"body","type":"path","required":true,"b64":"destination_b64"},{"name":"overwrite","in":"body","type":"boolean","required":false,"default":true},{"name":"parents","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "limits": []},
  "files.extract": {"id": "files.extract", "endpoint": null, "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "POST", "path": "/files/extract", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"path","in":"body","type":"path","required":false,"b64":"path_b64"},{"name":"destination","in":"body","type":"path","required":true,"b64":"destination_b64"},{"name":"format","in":"body","type":"choice","required":false,"default":"auto","choices":["auto","tar","tar.gz","tar.zst","tar.xz","tar.bz2","zip"]},{"name":"overwrite","in":"body","type":"boolean","required":false,"default":true},{"name":"strip","in":"body","type":"integer","required":false,"default":0,"minimum":0,"maximum":100},{"name":"parents","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "raw": {"request":true,"response":false,"media_type":null}, "limits": [{"name":"max_files","default":200000,"cap":10000000,"error":"limit.file_too_large"},{"name":"max_bytes","default":1073741824,"cap":1125899906842624,"error":"limit.file_too_large"}]},
  "files.chmod": {"id": "files.chmod", "endpoint": null, "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/chmod", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":true}, "params": [{"name":"path","in":"body","type":"path","required":true,"b64":"path_b64"},{"name":"mode","in":"body","type":"string","required":true},{"name":"recursive","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "limits": []},
  "commands.run": {"id": "commands.run", "endpoint": "shell", "group": "process", "scope": "process:run", "kind": "json", "method": "POST", "path": "/shell", "since": "0.1.0", "effects": {"reads":true,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"command","in":"body","type":"string","required":false},{"name":"argv","in":"body","type":"array","required":false,"items":{"type":"string"}},{"name":"shell","in":"body","type":"string","required":false},{"name":"cwd","in":"body","type":"path","required":false,"b64":"cwd_b64"},{"name":"env","in":"body","type":"object","required":false,"values":"string"},{"name":"user","in":"body","type":"string","required":false},{"name":"stdin","in":"body","type":"string","required":false},{"name":"stdin_b64","in":"body","type":"bytes","required":false},{"name":"timeout","in":"body","type":"number","required":false,"default":300,"minimum":0,"maximum":3600},{"name":"max_output_bytes","in":"body","type":"integer","required":false,"default":10485760,"minimum":0,"maximum":10485760},{"name":"encoding","in":"body","type":"choice","required":false,"default":"utf-8","choices":["utf-8","base64"]}], "one_of": [["command","argv"]], "limits": [{"name":"max_timeout","default":3600,"cap":3600,"error":"args.invalid"},{"name":"max_output_bytes","default":10485760,"cap":10485760,"error":null}]},
  "commands.stream": {"id": "commands.stream", "endpoint": "shell_stream", "group": "process", "scope": "process:run", "kind": "sse", "method": "POST", "path": "/shell/stream", "since": "0.1.0", "effects": {"reads":true,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"command","in":"body","type":"string","required":false},{"name":"argv","in":"body","type":"array","required":false,"items":{"type":"string"}},{"name":"shell","in":"body","type":"string","required":false},{"name":"cwd","in":"body","type":"path","required":false,"b64":"cwd_b64"},{"name":"env","in":"body","type":"object","required":false,"values":"string"},{"name":"user","in":"body","type":"string","required":false},{"name":"stdin","in":"body","type":"string","required":false},{"name":"stdin_b64","in":"body","type":"bytes","required":false},{"name":"timeout","in":"body","type":"number","required":false,"default":0,"minimum":0,"maximum":3600},{"name":"encoding","in":"body","type":"choice","required":false,"default":"utf-8","choices":["utf-8","base64"]},{"name":"lines","in":"body","type":"boolean","required":false,"default":false}], "one_of": [["command","argv"]], "limits": [{"name":"max_timeout","default":3600,"cap":3600,"error":"args.invalid"}], "finals": ["exit"]},
  "process.start": {"id": "process.start", "endpoint": "process_start", "group": "process", "scope": "process:run", "kind": "json", "method": "POST", "path": "/process/start", "since": "0.1.0", "effects": {"reads":true,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"command","in":"body","type":"string","required":false},{"name":"argv","in":"body","type":"array","required":false,"items":{"type":"string"}},{"name":"shell","in":"body","type":"string","required":false},{"name":"cwd","in":"body","type":"path","required":false,"b64":"cwd_b64"},{"name":"env","in":"body","type":"object","required":false,"values":"string"},{"name":"user","in":"body","type":"string","required":false},{"name":"capture_output","in":"body","type":"boolean","required":false,"default":false},{"name":"stdin","in":"body","type":"boolean","required":false,"default":false},{"name":"name","in":"body","type":"string","required":false},{"name":"timeout","in":"body","type":"number","required":false,"default":0,"minimum":0,"maximum":31536000}], "one_of": [["command","argv"]], "limits": [{"name":"max_processes","default":100,"cap":4096,"error":"limit.too_many"},{"name":"max_output_bytes","default":1048576,"cap":16777216,"error":null},{"name":"retain","default":100,"cap":1000,"error":null}]},
  "process.list": {"id": "process.list", "endpoint": "process_list", "group": "process", "scope": "process:read", "kind": "json", "method": "GET", "path": "/process/list", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "process.get": {"id": "process.get", "endpoint": "process_detail", "group": "process", "scope": "process:read", "kind": "json", "method": "GET", "path": "/process/{pid}", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"pid","in":"path","type":"string","required":true}], "one_of": [], "limits": []},
  "process.signal": {"id": "process.signal", "endpoint": "process_signal", "group": "process", "scope": "process:control", "kind": "json", "method": "POST", "path": "/process/{pid}/signal", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"pid","in":"path","type":"string","required":true},{"name":"signal","in":"body","type":"any","required":false},{"name":"group","in":"body","type":"boolean","required":false,"default":true}], "one_of": [], "limits": []},
  "process.stdin": {"id": "process.stdin", "endpoint": "process_stdin", "group": "process", "scope": "process:control", "kind": "json", "method": "POST", "path": "/process/{pid}/stdin", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"pid","in":"path","type":"string","required":true},{"name":"data","in":"body","type":"string","required":false},{"name":"data_b64","in":"body","type":"bytes","required":false},{"name":"eof","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "limits": []},
  "process.output": {"id": "process.output", "endpoint": "process_output", "group": "process", "scope": "process:read", "kind": "json", "method": "GET", "path": "/process/{pid}/output", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"pid","in":"path","type":"string","required":true},{"name":"since","in":"query","type":"integer","required":false,"default":0,"minimum":0,"maximum":9007199254740991},{"name":"wait","in":"query","type":"number","required":false,"default":0,"minimum":0,"maximum":60},{"name":"max_bytes","in":"query","type":"integer","required":false,"default":1048576,"minimum":1,"maximum":16777216},{"name":"stream","in":"query","type":"choice","required":false,"default":"both","choices":["both","stdout","stderr"]},{"name":"encoding","in":"query","type":"choice","required":false,"default":"utf-8","choices":["utf-8","base64"]}], "one_of": [], "limits": []},
  "process.follow": {"id": "process.follow", "endpoint": null, "group": "process", "scope": "process:read", "kind": "sse", "method": "GET", "path": "/process/{pid}/follow", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"pid","in":"path","type":"string","required":true},{"name":"since","in":"query","type":"integer","required":false,"default":0,"minimum":0,"maximum":9007199254740991},{"name":"stream","in":"query","type":"choice","required":false,"default":"both","choices":["both","stdout","stderr"]},{"name":"encoding","in":"query","type":"choice","required":false,"default":"utf-8","choices":["utf-8","base64"]}], "one_of": [], "limits": [], "finals": ["exit"]},
  "terminal.create": {"id": "terminal.create", "endpoint": "pty_create_session", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "POST", "path": "/pty/sessions", "since": "0.1.0", "effects": {"reads":true,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"command","in":"body","type":"string","required":false},{"name":"argv","in":"body","type":"array","required":false,"items":{"type":"string"}},{"name":"shell","in":"body","type":"string","required":false},{"name":"cwd","in":"body","type":"path","required":false,"b64":"cwd_b64"},{"name":"env","in":"body","type":"object","required":false,"values":"string"},{"name":"user","in":"body","type":"string","required":false},{"name":"cols","in":"body","type":"integer","required":false,"default":80,"minimum":1,"maximum":1000},{"name":"rows","in":"body","type":"integer","required":false,"default":24,"minimum":1,"maximum":1000},{"name":"scrollback_bytes","in":"body","type":"integer","required":false,"default":262144,"minimum":0,"maximum":4194304}], "one_of": [], "limits": [{"name":"max_sessions","default":10,"cap":1000,"error":"limit.too_many"},{"name":"idle_timeout","default":1800,"cap":1073741824,"error":null}]},
  "terminal.list": {"id": "terminal.list", "endpoint": "pty_list_sessions", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "GET", "path": "/pty/sessions", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "terminal.get": {"id": "terminal.get", "endpoint": "pty_detail", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "GET", "path": "/pty/sessions/{id}", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"id","in":"path","type":"string","required":true}], "one_of": [], "limits": []},
  "terminal.resize": {"id": "terminal.resize", "endpoint": "pty_resize", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "POST", "path": "/pty/sessions/{id}/resize", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":true}, "params": [{"name":"id","in":"path","type":"string","required":true},{"name":"cols","in":"body","type":"integer","required":true,"minimum":1,"maximum":1000},{"name":"rows","in":"body","type":"integer","required":true,"minimum":1,"maximum":1000}], "one_of": [], "limits": []},
  "terminal.delete": {"id": "terminal.delete", "endpoint": "pty_delete_session", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "DELETE", "path": "/pty/sessions/{id}", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"id","in":"path","type":"string","required":true}], "one_of": [], "limits": []},
  "terminal.connect": {"id": "terminal.connect", "endpoint": "pty_connect", "group": "terminal", "scope": "terminal:use", "kind": "ws", "method": "GET", "path": "/pty", "since": "0.1.0", "effects": {"reads":true,"writes":true,"runs":false,"idempotent":false}, "params": [{"name":"session_id","in":"query","type":"string","required":true},{"name":"ticket","in":"query","type":"string","required":false,"secret":true}], "one_of": [], "limits": []},
  "system.info": {"id": "system.info", "endpoint": "system_info", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/system/info", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "system.metrics": {"id": "system.metrics", "endpoint": "system_metrics", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/system/metrics", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "system.env.get": {"id": "system.env.get", "endpoint": "env_get", "group": "system", "scope": "env:read", "kind": "json", "method": "GET", "path": "/env", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [{"name":"filter","in":"query","type":"string","required":false},{"name":"names","in":"query","type":"string","required":false}], "one_of": [], "limits": []},
  "system.env.set": {"id": "system.env.set", "endpoint": "env_set", "group": "system", "scope": "env:write", "kind": "json", "method": "POST", "path": "/env", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":false,"idempotent":true}, "params": [{"name":"vars","in":"body","type":"object","required":true,"nullable":true,"values":"string"}], "one_of": [], "limits": [{"name":"max_bytes","default":262144,"cap":1048576,"error":"args.invalid"}]},
  "system.ports": {"id": "system.ports", "endpoint": "ports", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/ports", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "limits": []},
  "system.packages": {"id": "system.packages", "endpoint": "packages", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/packages", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":true}, "params": [{"name":"manager","in":"query","type":"choice","required":false,"default":"pip","choices":["pip","npm","apt","apk","cargo"]}], "one_of": [], "limits": [{"name":"max_seconds","default":30,"cap":300,"error":"commands.timeout"}]},
  "system.prometheus": {"id": "system.prometheus", "endpoint": null, "group": "system", "scope": "system:read", "kind": "raw", "method": "GET", "path": "/metrics", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":true}, "params": [], "one_of": [], "raw": {"request":false,"response":true,"media_type":"text/plain; version=0.0.4"}, "limits": []},
  "devtools.code.run": {"id": "devtools.code.run", "endpoint": "code_run", "group": "dev_tools", "scope": "code:run", "kind": "json", "method": "POST", "path": "/code/run", "since": "0.1.0", "effects": {"reads":true,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"code","in":"body","type":"string","required":true},{"name":"language","in":"body","type":"string","required":false,"default":"python"},{"name":"timeout","in":"body","type":"number","required":false,"default":30,"minimum":0,"maximum":300},{"name":"cwd","in":"body","type":"path","required":false,"b64":"cwd_b64"},{"name":"env","in":"body","type":"object","required":false,"values":"string"},{"name":"stdin","in":"body","type":"string","required":false}], "one_of": [], "limits": []},
  "devtools.git.status": {"id": "devtools.git.status", "endpoint": "git_status", "group": "dev_tools", "scope": "git:read", "kind": "json", "method": "GET", "path": "/git/status", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":false,"b64":"path_b64","default":"."}], "one_of": [], "limits": [{"name":"max_seconds","default":60,"cap":300,"error":"commands.timeout"}]},
  "devtools.git.diff": {"id": "devtools.git.diff", "endpoint": "git_diff", "group": "dev_tools", "scope": "git:read", "kind": "json", "method": "GET", "path": "/git/diff", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":true}, "params": [{"name":"path","in":"query","type":"path","required":false,"b64":"path_b64","default":"."},{"name":"staged","in":"query","type":"boolean","required":false,"default":false},{"name":"file","in":"query","type":"path","required":false,"b64":"file_b64"}], "one_of": [], "limits": [{"name":"max_seconds","default":60,"cap":300,"error":"commands.timeout"}]},
  "browser.navigate": {"id": "browser.navigate", "endpoint": "browser_navigate", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/navigate", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":false}, "params": [{"name":"url","in":"body","type":"string","required":true},{"name":"wait_until","in":"body","type":"choice","required":false,"default":"networkidle","choices":["load","domcontentloaded","networkidle","commit"]},{"name":"timeout","in":"body","type":"integer","required":false,"default":30000,"minimum":1,"maximum":300000}], "one_of": [], "limits": []},
  "browser.screenshot": {"id": "browser.screenshot", "endpoint": "browser_screenshot", "group": "browser", "scope": "browser:use", "kind": "raw", "method": "POST", "path": "/browser/screenshot", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":false}, "params": [{"name":"selector","in":"body","type":"string","required":false},{"name":"full_page","in":"body","type":"boolean","required":false,"default":true},{"name":"format","in":"body","type":"choice","required":false,"default":"png","choices":["png","jpeg"]},{"name":"quality","in":"body","type":"integer","required":false,"minimum":0,"maximum":100}], "one_of": [], "raw": {"request":false,"response":true,"media_type":"image/*"}, "limits": [{"name":"max_bytes","default":50331648,"cap":268435456,"error":"limit.file_too_large"}]},
  "browser.content": {"id": "browser.content", "endpoint": "browser_content", "group": "browser", "scope": "browser:use", "kind": "json", "method": "GET", "path": "/browser/content", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":false}, "params": [{"name":"type","in":"query","type":"choice","required":false,"default":"html","choices":["html","text"]}], "one_of": [], "limits": [{"name":"max_bytes","default":10485760,"cap":33554432,"error":"limit.file_too_large"}]},
  "browser.click": {"id": "browser.click", "endpoint": "browser_click", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/click", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"selector","in":"body","type":"string","required":true},{"name":"timeout","in":"body","type":"integer","required":false,"default":5000,"minimum":1,"maximum":300000}], "one_of": [], "limits": []},
  "browser.type": {"id": "browser.type", "endpoint": "browser_type", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/type", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"selector","in":"body","type":"string","required":true},{"name":"text","in":"body","type":"string","required":true},{"name":"delay","in":"body","type":"integer","required":false,"default":50,"minimum":0,"maximum":10000},{"name":"clear","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "limits": []},
  "browser.evaluate": {"id": "browser.evaluate", "endpoint": "browser_evaluate", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/evaluate", "since": "0.1.0", "effects": {"reads":false,"writes":true,"runs":true,"idempotent":false}, "params": [{"name":"script","in":"body","type":"string","required":true},{"name":"timeout","in":"body","type":"integer","required":false,"default":10000,"minimum":1,"maximum":300000}], "one_of": [], "limits": [{"name":"max_bytes","default":8388608,"cap":33554432,"error":"limit.file_too_large"}]},
  "browser.pdf": {"id": "browser.pdf", "endpoint": "browser_pdf", "group": "browser", "scope": "browser:use", "kind": "raw", "method": "POST", "path": "/browser/pdf", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":true,"idempotent":false}, "params": [{"name":"format","in":"body","type":"choice","required":false,"default":"A4","choices":["A3","A4","A5","Letter","Legal","Tabloid"]},{"name":"landscape","in":"body","type":"boolean","required":false,"default":false}], "one_of": [], "raw": {"request":false,"response":true,"media_type":"application/pdf"}, "limits": [{"name":"max_bytes","default":50331648,"cap":268435456,"error":"limit.file_too_large"}]},
  "browser.console": {"id": "browser.console", "endpoint": "browser_console", "group": "browser", "scope": "browser:use", "kind": "json", "method": "GET", "path": "/browser/console", "since": "0.1.0", "effects": {"reads":true,"writes":false,"runs":false,"idempotent":false}, "params": [], "one_of": [], "limits": []},
} satisfies Record<string, OpSpec>;

export type OpId = keyof typeof catalog;

/** The ids, by their parts. */
export const ops = {
  core: {
    health: "core.health",
    capabilities: "core.capabilities",
    check: "core.check",
    describe: "core.describe",
    openapi: "core.openapi",
    reload: "core.reload",
  },
  custom: {
    list: "custom.list",
  },
  files: {
    list: "files.list",
    stat: "files.stat",
    mkdir: "files.mkdir",
    delete: "files.delete",
    move: "files.move",
    search: "files.search",
    upload_stream: "files.upload_stream",
    download_stream: "files.download_stream",
    archive: "files.archive",
    watch: "files.watch",
    upload: "files.upload",
    download: "files.download",
    read: "files.read",
    write: "files.write",
    edit: "files.edit",
    grep: "files.grep",
    copy: "files.copy",
    extract: "files.extract",
    chmod: "files.chmod",
  },
  commands: {
    run: "commands.run",
    stream: "commands.stream",
  },
  process: {
    start: "process.start",
    list: "process.list",
    get: "process.get",
    signal: "process.signal",
    stdin: "process.stdin",
    output: "process.output",
    follow: "process.follow",
  },
  terminal: {
    create: "terminal.create",
    list: "terminal.list",
    get: "terminal.get",
    resize: "terminal.resize",
    delete: "terminal.delete",
    connect: "terminal.connect",
  },
  system: {
    env: {
      get: "system.env.get",
      set: "system.env.set",
    },
    info: "system.info",
    metrics: "system.metrics",
    ports: "system.ports",
    packages: "system.packages",
    prometheus: "system.prometheus",
  },
  devtools: {
    code: {
      run: "devtools.code.run",
    },
    git: {
      status: "devtools.git.status",
      diff: "devtools.git.diff",
    },
  },
  browser: {
    navigate: "browser.navigate",
    screenshot: "browser.screenshot",
    content: "browser.content",
    click: "browser.click",
    type: "browser.type",
    evaluate: "browser.evaluate",
    pdf: "browser.pdf",
    console: "browser.console",
  },
} as const;
