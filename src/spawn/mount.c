/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/mount.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>

/* mountinfo writes blanks and the like as \ooo. */
static size_t unescape(struct str text, char *to, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < text.len && len < size - 1; i++) {
		char c = text.p[i];

		if (c == '\\' && i + 3 < text.len && text.p[i + 1] >= '0' && text.p[i + 1] <= '3') {
			c = (char)((text.p[i + 1] - '0') << 6 | (text.p[i + 2] - '0') << 3 | (text.p[i + 3] - '0'));
			i += 3;
		}
		to[len++] = c;
	}
	to[len] = '\0';
	return len;
}

static bool lists(struct str words, const char *word)
{
	while (words.len) {
		if (str_is(str_cut(&words, ','), word))
			return true;
	}
	return false;
}

/* "36 35 98:0 /root /mount rw,… shared:1 - cgroup2 source rw,cpu" */
static bool is_wanted(struct str line, const char *controller, struct str *ret_root, struct str *ret_mount)
{
	struct str type;

	for (int i = 0; i < 3; i++)
		str_cut(&line, ' ');
	*ret_root = str_cut(&line, ' ');
	*ret_mount = str_cut(&line, ' ');
	while (line.len && !str_is(str_cut(&line, ' '), "-"))
		;
	type = str_cut(&line, ' ');
	str_cut(&line, ' ');
	return controller ? str_is(type, "cgroup") && lists(line, controller) : str_is(type, "cgroup2");
}

/* "0::/path" of v2, "4:memory:/path" of v1. */
static bool own_path(const char *cgroups, const char *controller, struct str *ret_path)
{
	struct str rest = str_of(cgroups);

	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		struct str number = str_cut(&line, ':');
		struct str names = str_cut(&line, ':');

		if (controller ? lists(names, controller) : str_is(number, "0") && names.len == 0) {
			*ret_path = line;
			return true;
		}
	}
	return false;
}

/* The mount may show only a part of the hierarchy, which begins at root. */
static int join(struct str root, struct str mount, struct str own, char *to)
{
	char root_text[MOUNT_PATH_SIZE], mount_text[MOUNT_PATH_SIZE];
	size_t root_len = unescape(root, root_text, sizeof root_text);
	int len;

	unescape(mount, mount_text, sizeof mount_text);
	if (root_len == 1)
		root_len = 0;
	if (own.len < root_len || memcmp(own.p, root_text, root_len) != 0)
		return -ENOENT;
	own.p += root_len;
	own.len -= root_len;
	if (own.len && own.p[0] != '/')
		return -ENOENT;
	if (own.len >= 3 && memcmp(own.p, "/..", 3) == 0)
		return -ENOENT;
	len = snprintf(to, MOUNT_PATH_SIZE, "%s" STR_FMT, mount_text, STR_ARG(own));
	return len < MOUNT_PATH_SIZE ? 0 : -ENOENT;
}

int mount_cgroup(
	const char *mountinfo, const char *cgroups, const char *controller, char ret_path[static MOUNT_PATH_SIZE])
{
	struct str rest = str_of(mountinfo), own, root, mount;

	if (!own_path(cgroups, controller, &own))
		return -ENOENT;
	while (rest.len) {
		if (is_wanted(str_cut(&rest, '\n'), controller, &root, &mount) && join(root, mount, own, ret_path) == 0)
			return 0;
	}
	return -ENOENT;
}
