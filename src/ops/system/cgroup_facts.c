/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/system/cgroup_facts.h"

#include "ops/system/host_files.h"
#include "spawn/mount.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MAX = 1 << 20, FILE_SIZE = MOUNT_PATH_SIZE + 64 };

#define USEC_PER_S 1e6
#define NSEC_PER_S 1e9
/* v1 writes "no limit" as the largest number of whole pages. */
#define V1_NO_LIMIT (UINT64_C(1) << 62)

/* One hierarchy, walked from the own group upwards. */
struct walk {
	const char *root;
	char path[MOUNT_PATH_SIZE];
};

static bool find_group(
	const char *root, const char *mounts, const char *groups, const char *controller, struct walk *ret_walk)
{
	ret_walk->root = root;
	return mounts && groups && mount_cgroup(mounts, groups, controller, ret_walk->path) == 0;
}

/* The group above; false at the top. */
static bool go_up(struct walk *w)
{
	char *slash = strrchr(w->path, '/');

	if (!slash || slash == w->path)
		return false;
	*slash = '\0';
	return true;
}

static int number_at(const struct walk *w, const char *name, uint64_t *ret_value)
{
	char path[FILE_SIZE];

	snprintf(path, sizeof path, "%s/%s", w->path, name);
	return host_read_number(w->root, path, ret_value);
}

static char *text_at(const struct walk *w, const char *name)
{
	char path[FILE_SIZE];

	snprintf(path, sizeof path, "%s/%s", w->path, name);
	return host_read(w->root, path, TEXT_MAX);
}

static void read_memory_use(const struct walk *w, bool is_v2, struct cgroup_facts *facts)
{
	AUTOFREE char *stat = text_at(w, "memory.stat");
	uint64_t all, active = 0, inactive = 0;

	facts->memory_used.set = facts->memory_cache.set = false;
	if (number_at(w, is_v2 ? "memory.current" : "memory.usage_in_bytes", &all) < 0 || !stat ||
		!host_find_number(stat, is_v2 ? "active_file" : "total_active_file", &active) ||
		!host_find_number(stat, is_v2 ? "inactive_file" : "total_inactive_file", &inactive))
		return;
	facts->memory_cache = (struct opt_int){ true, (int64_t)MIN(all, active + inactive) };
	facts->memory_used = (struct opt_int){ true, (int64_t)all - facts->memory_cache.value };
}

static bool memory_limit_at(const struct walk *w, bool is_v2, uint64_t *ret_limit)
{
	if (number_at(w, is_v2 ? "memory.max" : "memory.limit_in_bytes", ret_limit) < 0)
		return false;
	return is_v2 || *ret_limit < V1_NO_LIMIT;
}

/* v1: what holds above, where the groups above cannot be seen. */
static void add_hierarchical_limit(const struct walk *own, struct cgroup_facts *facts)
{
	AUTOFREE char *stat = text_at(own, "memory.stat");
	uint64_t limit;

	if (!stat || !host_find_number(stat, "hierarchical_memory_limit", &limit) || limit >= V1_NO_LIMIT)
		return;
	if (facts->memory_limit.set && (uint64_t)facts->memory_limit.value <= limit)
		return;
	facts->memory_limit = (struct opt_int){ true, (int64_t)limit };
	read_memory_use(own, false, facts);
}

static void read_memory(struct walk w, bool is_v2, struct cgroup_facts *facts)
{
	struct walk own = w;
	uint64_t limit;

	do {
		if (!memory_limit_at(&w, is_v2, &limit) || limit > INT64_MAX)
			continue;
		if (facts->memory_limit.set && (uint64_t)facts->memory_limit.value <= limit)
			continue;
		facts->memory_limit = (struct opt_int){ true, (int64_t)limit };
		read_memory_use(&w, is_v2, facts);
	} while (go_up(&w));
	if (!is_v2)
		add_hierarchical_limit(&own, facts);
}

/* "50000 100000" or "max 100000"; v1 has a file for each, and -1 for none. */
static bool quota_at(const struct walk *w, bool is_v2, double *ret_quota)
{
	AUTOFREE char *text = is_v2 ? text_at(w, "cpu.max") : NULL;
	struct str rest = str_of(text ? str_trim(str_of(text)).p : "");
	uint64_t quota, period;

	if (is_v2) {
		struct str first = str_cut(&rest, ' ');

		if (str_to_u64(first, &quota) < 0 || str_to_u64(str_cut(&rest, '\n'), &period) < 0)
			return false;
	} else if (number_at(w, "cpu.cfs_quota_us", &quota) < 0 || number_at(w, "cpu.cfs_period_us", &period) < 0) {
		return false;
	}
	if (quota == 0 || period == 0)
		return false;
	*ret_quota = (double)quota / (double)period;
	return true;
}

static void read_quota(struct walk w, bool is_v2, struct cgroup_facts *facts, struct walk *ret_where)
{
	double quota;

	do {
		if (!quota_at(&w, is_v2, &quota) || (facts->cpu_quota.set && facts->cpu_quota.value <= quota))
			continue;
		facts->cpu_quota = (struct opt_num){ true, quota };
		*ret_where = w;
	} while (go_up(&w));
}

static void read_cpu_v2(struct walk own, struct cgroup_facts *facts)
{
	struct walk where = own;
	AUTOFREE char *stat = NULL;
	uint64_t used;

	read_quota(own, true, facts, &where);
	stat = text_at(&where, "cpu.stat");
	if (stat && host_find_number(stat, "usage_usec", &used))
		facts->cpu_seconds = (struct opt_num){ true, (double)used / USEC_PER_S };
}

/* The time may be in another hierarchy than the quota, under a group of the same name. */
static void read_cpu_v1(struct walk own, const char *mounts, const char *groups, struct cgroup_facts *facts)
{
	struct walk where = own, time = own;
	uint64_t used;
	size_t levels = 0;

	read_quota(own, false, facts, &where);
	for (const char *c = own.path + strlen(where.path); *c; c++)
		levels += *c == '/';
	if (!find_group(own.root, mounts, groups, "cpuacct", &time))
		return;
	while (levels && go_up(&time))
		levels--;
	if (number_at(&time, "cpuacct.usage", &used) == 0)
		facts->cpu_seconds = (struct opt_num){ true, (double)used / NSEC_PER_S };
}

void cgroup_facts_read(const char *root, struct cgroup_facts *ret_facts)
{
	AUTOFREE char *mounts = host_read(root, "/proc/self/mountinfo", TEXT_MAX);
	AUTOFREE char *groups = host_read(root, "/proc/self/cgroup", TEXT_MAX);
	struct walk w;

	*ret_facts = (struct cgroup_facts){ 0 };
	if (find_group(root, mounts, groups, NULL, &w)) {
		read_memory(w, true, ret_facts);
		read_cpu_v2(w, ret_facts);
	}
	if (find_group(root, mounts, groups, "memory", &w))
		read_memory(w, false, ret_facts);
	if (find_group(root, mounts, groups, "cpu", &w))
		read_cpu_v1(w, mounts, groups, ret_facts);
}
