/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/system/host_facts.h"

#include "ops/system/host_files.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, PATH_SIZE = 4096, START_FIELD = 22 };

static struct opt_int kib_of(const char *meminfo, const char *name)
{
	uint64_t kib;

	if (!host_find_number(meminfo, name, &kib) || kib > INT64_MAX / 1024)
		return (struct opt_int){ 0 };
	return (struct opt_int){ true, (int64_t)kib * 1024 };
}

void host_parse_memory(const char *meminfo, struct host_memory *ret_memory)
{
	struct opt_int cached = kib_of(meminfo, "Cached"), buffers = kib_of(meminfo, "Buffers"),
		       shared = kib_of(meminfo, "Shmem"), free_now = kib_of(meminfo, "MemFree");

	ret_memory->total = kib_of(meminfo, "MemTotal");
	ret_memory->available = kib_of(meminfo, "MemAvailable");
	ret_memory->cache.set = cached.set;
	/* Shared memory is counted as cached, and cannot be given back. */
	ret_memory->cache.value = MAX(0, cached.value + buffers.value - shared.value);
	if (!ret_memory->available.set && free_now.set)
		ret_memory->available = (struct opt_int){ true, free_now.value + ret_memory->cache.value };
}

void host_parse_load(const char *loadavg, struct host_load *ret_load)
{
	double one, five, fifteen;

	*ret_load = (struct host_load){ 0 };
	if (sscanf(loadavg, "%lf %lf %lf", &one, &five, &fifteen) != 3)
		return;
	*ret_load = (struct host_load){ { true, one }, { true, five }, { true, fifteen } };
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice": guests are counted in user already. */
void host_parse_cpu(const char *stat, struct host_cpu *ret_cpu)
{
	enum { IDLE = 3, IOWAIT = 4, COUNTED = 8 };
	struct str rest = str_of(stat);
	struct str line = str_cut(&rest, '\n');
	int at = 0;

	*ret_cpu = (struct host_cpu){ 0 };
	if (!str_is(str_cut(&line, ' '), "cpu"))
		return;
	for (line = str_trim(line); line.len && at < COUNTED; at++) {
		uint64_t ticks;

		if (str_to_u64(str_cut(&line, ' '), &ticks) < 0)
			return;
		ret_cpu->total += ticks;
		ret_cpu->idle += at == IDLE || at == IOWAIT ? ticks : 0;
	}
	ret_cpu->set = at > IDLE;
}

void host_parse_network(const char *dev, struct host_network *ret_network)
{
	enum { RX = 0, TX = 8 };
	struct str rest = str_of(dev);

	*ret_network = (struct host_network){ 0 };
	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		struct str name = str_trim(str_cut(&line, ':'));

		if (line.len == 0)
			continue;
		ret_network->set = true;
		for (int at = 0; at <= TX && !str_is(name, "lo"); at++) {
			uint64_t value;

			line = str_trim(line);
			if (str_to_u64(str_cut(&line, ' '), &value) < 0)
				break;
			ret_network->rx_bytes += at == RX ? value : 0;
			ret_network->tx_bytes += at == TX ? value : 0;
		}
	}
}

bool host_parse_uptime(const char *uptime, double *ret_seconds)
{
	return sscanf(uptime, "%lf", ret_seconds) == 1;
}

/* VALUE, 'VALUE' or "VALUE" with backslashes, as a shell reads it; p NULL: no such name. */
static const char *release_value(struct arena *arena, const char *text, const char *wanted)
{
	struct str rest = str_of(text);

	while (rest.len) {
		struct str value = str_trim(str_cut(&rest, '\n'));
		char *to;
		size_t len = 0;

		if (!str_is(str_cut(&value, '='), wanted))
			continue;
		if (value.len >= 2 && (value.p[0] == '"' || value.p[0] == '\'') && value.p[value.len - 1] == value.p[0])
			value = (struct str){ value.p + 1, value.len - 2 };
		to = arena_alloc(arena, value.len + 1);
		for (size_t i = 0; to && i < value.len; i++) {
			if (value.p[i] == '\\' && i + 1 < value.len)
				i++;
			to[len++] = value.p[i];
		}
		return to;
	}
	return NULL;
}

const char *host_parse_os_release(struct arena *arena, const char *text)
{
	const char *pretty = release_value(arena, text, "PRETTY_NAME");
	const char *name = release_value(arena, text, "NAME"), *version = release_value(arena, text, "VERSION_ID");

	if (pretty && pretty[0])
		return pretty;
	if (!name || !version)
		return name;
	return arena_printf(arena, "%s %s", name, version);
}

const char *host_distro(struct arena *arena, const char *root)
{
	AUTOFREE char *text = host_read(root, "/etc/os-release", TEXT_MAX);

	if (!text)
		text = host_read(root, "/usr/lib/os-release", TEXT_MAX);
	return text ? host_parse_os_release(arena, text) : NULL;
}

static bool is_there(const char *root, const char *path)
{
	char full[PATH_SIZE];

	snprintf(full, sizeof full, "%s%s", root, path);
	return access(full, F_OK) == 0;
}

const char *host_container(const char *root)
{
	static const struct {
		const char *sign, *name;
	} in_groups[] = { { "kubepods", "kubernetes" }, { "docker", "docker" }, { "libpod", "podman" },
		{ "containerd", "containerd" }, { "lxc", "lxc" } };
	AUTOFREE char *groups = host_read(root, "/proc/self/cgroup", TEXT_MAX);

	if (is_there(root, "/var/run/secrets/kubernetes.io"))
		return "kubernetes";
	if (is_there(root, "/.dockerenv"))
		return "docker";
	if (is_there(root, "/run/.containerenv"))
		return "podman";
	for (size_t i = 0; groups && i < ARRAY_LEN(in_groups); i++) {
		if (strstr(groups, in_groups[i].sign))
			return in_groups[i].name;
	}
	return is_there(root, "/run/systemd/container") ? "container" : NULL;
}

/* When the first process began, in ticks after the machine did. */
static bool first_process_start(const char *root, uint64_t *ret_ticks)
{
	AUTOFREE char *stat = host_read(root, "/proc/1/stat", TEXT_MAX);
	const char *behind_name = stat ? strrchr(stat, ')') : NULL;
	struct str rest = str_of(behind_name ? behind_name + 1 : "");
	struct str field = { NULL, 0 };

	rest = str_trim(rest);
	for (int at = 3; at <= START_FIELD; at++)
		field = str_cut(&rest, ' ');
	return field.p && str_to_u64(field, ret_ticks) == 0;
}

struct opt_num host_uptime(const char *root)
{
	AUTOFREE char *text = host_read(root, "/proc/uptime", TEXT_MAX);
	double seconds, began;
	uint64_t ticks;

	if (!text || !host_parse_uptime(text, &seconds))
		return (struct opt_num){ 0 };
	began = first_process_start(root, &ticks) ? (double)ticks / (double)sysconf(_SC_CLK_TCK) : 0;
	return (struct opt_num){ true, round((began < seconds ? seconds - began : seconds) * 100) / 100 };
}

struct opt_int host_processes(const char *root)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	struct opt_int count = { true, 0 };
	DIR *dir;

	snprintf(path, sizeof path, "%s/proc", root);
	dir = opendir(path);
	if (!dir)
		return (struct opt_int){ 0 };
	while ((entry = readdir(dir)))
		count.value += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
	closedir(dir);
	return count;
}
