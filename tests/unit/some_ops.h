/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A catalog of a few ops for the tests of policy, in place of the real one: the decisions must
 * not depend on which ops a build has.
 */
#pragma once

#include "catalog/op.h"

struct some_path {
	struct path_arg path;
};

static const struct field some_read_path[] = {
	P_PATH(struct some_path, path, F_REQUIRED, "A path."),
	FIELDS_END,
};
static const struct field some_write_path[] = {
	P_PATH(struct some_path, path, F_REQUIRED | F_WRITE, "A path."),
	FIELDS_END,
};

static const struct limit some_upload_limits[] = {
	{ "max_bytes", 104857600, INT64_C(1) << 40, ERR_LIMIT_FILE, "Bytes." },
	{ NULL, 0, 0, ERR_NONE, NULL },
};
static const struct limit some_start_limits[] = {
	{ "max_processes", 100, 1000, ERR_LIMIT_TOO_MANY, "Processes." },
	{ "retain", 100, 1000, ERR_NONE, "Exited ones." },
	{ NULL, 0, 0, ERR_NONE, NULL },
};

static const struct op some_health = { .id = "core.health", .endpoint = "health", .group = "core", .path = "/health" };
static const struct op some_capabilities = { .id = "core.capabilities",
	.endpoint = "capabilities",
	.group = "core",
	.scope = "core:read",
	.path = "/capabilities" };
static const struct op some_reload = { .id = "core.reload", .group = "core", .scope = "admin", .path = "/reload" };
static const struct op some_list = { .id = "files.list",
	.endpoint = "files_list",
	.group = "file_ops",
	.scope = "files:read",
	.path = "/files/list",
	.params = some_read_path };
static const struct op some_delete = { .id = "files.delete",
	.endpoint = "files_delete",
	.group = "file_ops",
	.scope = "files:write",
	.path = "/files",
	.params = some_write_path };
static const struct op some_upload = { .id = "files.upload_stream",
	.endpoint = "files_upload_stream",
	.group = "file_ops",
	.scope = "files:write",
	.path = "/files/upload-stream",
	.params = some_write_path,
	.limits = some_upload_limits };
static const struct op some_start = { .id = "process.start",
	.endpoint = "process_start",
	.group = "process",
	.scope = "process:run",
	.path = "/process/start",
	.limits = some_start_limits,
	.effects = OP_RUNS };
static const struct op some_info = { .id = "system.info",
	.endpoint = "system_info",
	.group = "system",
	.scope = "system:read",
	.path = "/system/info" };
static const struct op some_git = { .id = "devtools.git.status",
	.endpoint = "git_status",
	.group = "dev_tools",
	.scope = "git:read",
	.path = "/git/status" };

const struct op *const ops_all[] = { &some_health, &some_capabilities, &some_reload, &some_list, &some_delete,
	&some_upload, &some_start, &some_info, &some_git, NULL };
