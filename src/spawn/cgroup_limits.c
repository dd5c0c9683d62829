/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/cgroup_limits.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_SIZE = 512, CPU_PERIOD_US = 100000 };

static const char LEAF[] = "server";

static const struct {
	unsigned bit;
	const char *name;
} controllers[] = { { CGROUP_MEMORY, "memory" }, { CGROUP_PIDS, "pids" }, { CGROUP_CPU, "cpu" } };

static void read_text(int dir, const char *name, char text[static TEXT_SIZE])
{
	AUTOCLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, TEXT_SIZE - 1) : -1;

	text[MAX(len, 0)] = '\0';
}

static bool write_text(int dir, const char *name, const char *text)
{
	AUTOCLOSE int fd = openat(dir, name, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Those of the wanted that the file's list of words names. */
static unsigned listed(int dir, const char *file, unsigned wanted)
{
	char text[TEXT_SIZE];
	unsigned found = 0;
	struct str rest;

	read_text(dir, file, text);
	text[strcspn(text, "\n")] = '\0';
	rest = str_of(text);
	while (rest.len) {
		struct str word = str_cut(&rest, ' ');

		for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
			if (str_is(word, controllers[i].name))
				found |= controllers[i].bit;
		}
	}
	return found & wanted;
}

/* Whether controllers may be listed in it: nobody lives there but us, or it is the root, which has no type. */
enum whose { NOBODYS, OURS, OTHERS };
static enum whose lives_in(int own)
{
	char text[TEXT_SIZE], us[16];

	if (faccessat(own, "cgroup.type", F_OK, 0) < 0)
		return NOBODYS;
	read_text(own, "cgroup.procs", text);
	snprintf(us, sizeof us, "%d\n", getpid());
	if (!text[0])
		return NOBODYS;
	return strcmp(text, us) == 0 ? OURS : OTHERS;
}

unsigned cgroup_limits_wanted(const struct cgroup_limits *limits)
{
	return (limits->memory_max ? CGROUP_MEMORY : 0) | (limits->pids_max ? CGROUP_PIDS : 0) |
	       (limits->cpu_max > 0 ? CGROUP_CPU : 0);
}

unsigned cgroup_limits_possible(int own, unsigned wanted)
{
	unsigned there = listed(own, "cgroup.subtree_control", wanted);

	if (there == wanted || faccessat(own, "cgroup.subtree_control", W_OK, AT_EACCESS) < 0 ||
		lives_in(own) == OTHERS)
		return there;
	return listed(own, "cgroup.controllers", wanted);
}

/* One by one: one that is refused does not take the others with it. */
static unsigned list_for_folders(int dir, unsigned wanted)
{
	unsigned there = listed(dir, "cgroup.subtree_control", wanted);
	char text[16];

	for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
		if (!(controllers[i].bit & wanted & ~there))
			continue;
		snprintf(text, sizeof text, "+%s", controllers[i].name);
		if (write_text(dir, "cgroup.subtree_control", text))
			there |= controllers[i].bit;
	}
	return there;
}

static bool move_to_leaf(int own)
{
	AUTOCLOSE int leaf = -1;

	if (mkdirat(own, LEAF, 0755) < 0 && errno != EEXIST)
		return false;
	leaf = openat(own, LEAF, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return leaf >= 0 && write_text(leaf, "cgroup.procs", "0");
}

unsigned cgroup_limits_enable(int own, int group, unsigned wanted)
{
	unsigned possible = cgroup_limits_possible(own, wanted);

	if (possible && possible != listed(own, "cgroup.subtree_control", wanted) && lives_in(own) == OURS &&
		!move_to_leaf(own))
		return 0;
	possible = list_for_folders(own, possible);
	return list_for_folders(group, possible);
}

void cgroup_limits_leave(int own)
{
	struct stat st;

	if (fstatat(own, LEAF, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
		char text[16];

		snprintf(text, sizeof text, "-%s", controllers[i].name);
		write_text(own, "cgroup.subtree_control", text);
	}
	write_text(own, "cgroup.procs", "0");
	unlinkat(own, LEAF, AT_REMOVEDIR);
}

static bool write_number(int dir, const char *name, int64_t value)
{
	char text[32] = "max";

	if (value)
		snprintf(text, sizeof text, "%lld", (long long)value);
	return write_text(dir, name, text);
}

static bool write_cpu(int dir, double cpus)
{
	char text[64];
	long long quota = (long long)(cpus * CPU_PERIOD_US);

	/* The kernel takes no quota below a millisecond. */
	if (cpus > 0)
		snprintf(text, sizeof text, "%lld %d", MAX(quota, 1000), CPU_PERIOD_US);
	else
		snprintf(text, sizeof text, "max %d", CPU_PERIOD_US);
	return write_text(dir, "cpu.max", text);
}

unsigned cgroup_limits_write(int tree, const struct cgroup_limits *limits, unsigned wanted)
{
	unsigned written = 0;

	if ((wanted & CGROUP_MEMORY) && write_number(tree, "memory.max", limits->memory_max)) {
		/* What may not be held is not swapped out either; a kernel without swap has no such file. */
		write_text(tree, "memory.swap.max", limits->memory_max ? "0" : "max");
		written |= CGROUP_MEMORY;
	}
	if ((wanted & CGROUP_PIDS) && write_number(tree, "pids.max", limits->pids_max))
		written |= CGROUP_PIDS;
	if ((wanted & CGROUP_CPU) && write_cpu(tree, limits->cpu_max))
		written |= CGROUP_CPU;
	return written;
}
