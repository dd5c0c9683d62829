/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/manifest.h"

#include "policy/yaml_file.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MANIFESTS_MAX = 256 };

static const char DEFAULT_FOLDER[] = "/etc/agent-sandbox/commands.d";

void manifests_free(struct manifests *m)
{
	for (size_t i = 0; i < m->count; i++)
		manifest_unref(m->items[i]);
	free(m->items);
	*m = (struct manifests){ NULL, 0 };
}

/* Two commands of one name: which of them would run nobody could know. */
static int check_name(const struct manifests *m, const struct manifest *added, struct err *err)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->items[i]->run.count && added->run.count && strcmp(m->items[i]->name, added->name) == 0)
			return err_set(err, ERR_ARGS_INVALID, "%s and %s both make the command '%s'", m->items[i]->path,
				added->path, added->name);
	}
	return 0;
}

static int read_one(const char *path, struct manifests *m, struct err *err)
{
	struct manifest *manifest;
	AUTOBUF struct buf text;
	struct stat st;

	yaml_file_buf(&text);
	if (m->count == MANIFESTS_MAX)
		return err_set(err, ERR_ARGS_INVALID, "%s: more than %d manifests", path, MANIFESTS_MAX);
	if (yaml_file_read(path, "manifest", &text, err) < 0)
		return -1;
	manifest = manifest_parse(path, buf_str(&text), stat(path, &st) == 0 ? &st : NULL, err);
	if (!manifest)
		return -1;
	if (check_name(m, manifest, err) < 0) {
		manifest_unref(manifest);
		return -1;
	}
	m->items[m->count++] = manifest;
	return 0;
}

static int is_manifest(const struct dirent *entry)
{
	return fnmatch("*.yaml", entry->d_name, FNM_PERIOD) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_folder(const char *path, struct manifests *m, struct err *err)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_manifest, by_name), status = 0;

	if (count < 0)
		return yaml_file_fail(err, errno, "folder of commands", path);
	for (int i = 0; i < count; i++) {
		char file[PATH_MAX];

		snprintf(file, sizeof file, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
			entries[i]->d_name);
		if (status == 0)
			status = read_one(file, m, err);
		free(entries[i]);
	}
	free(entries);
	return status;
}

int manifests_read(const char *path, struct manifests *ret_manifests, struct err *err)
{
	const char *where = path ? path : DEFAULT_FOLDER;
	struct manifests m = { .items = (struct manifest **)mem_alloc(sizeof(struct manifest *) * MANIFESTS_MAX) };
	struct stat st;
	int status = 0;

	if (stat(where, &st) == 0)
		status = S_ISDIR(st.st_mode) ? read_folder(where, &m, err) : read_one(where, &m, err);
	else if (path || errno != ENOENT)
		status = yaml_file_fail(err, errno, "folder or manifest of commands", where);
	if (status < 0) {
		manifests_free(&m);
		return -1;
	}
	*ret_manifests = m;
	return 0;
}
