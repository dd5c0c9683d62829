/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/system/measure.h"

#include "base/clock.h"
#include "call/counters.h"
#include "ops/system/host_files.h"
#include "policy/place.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, CPUS_MAX = 8192 };

#define BETWEEN_NS (200 * NS_PER_MS)
#define MIB (1024.0 * 1024.0)
#define GIB (1024.0 * MIB)

struct measure {
	struct call *call;
	measure_fn *done;
	struct job job;
	struct timer timer;
	struct measure_sample before, after;
	struct metrics metrics;
};

static double rounded(double value)
{
	return round(value * 100) / 100;
}

struct opt_num measure_mib(struct opt_int bytes)
{
	return (struct opt_num){ bytes.set, bytes.set ? rounded((double)bytes.value / MIB) : 0 };
}

struct opt_num measure_percent(double part, double whole)
{
	if (!(whole > 0))
		return (struct opt_num){ 0 };
	return (struct opt_num){ true, rounded(100 * MAX(0, part) / whole) };
}

void measure_memory(const struct cgroup_facts *group, const struct host_memory *host, struct memory_figures *ret_memory)
{
	bool is_limited = group->memory_limit.set &&
			  (!host->total.set || group->memory_limit.value < host->total.value);

	*ret_memory = (struct memory_figures){ .limit = group->memory_limit, .host_total = host->total };
	if (is_limited) {
		ret_memory->total = group->memory_limit;
		ret_memory->used = group->memory_used;
		ret_memory->cache = group->memory_cache;
		ret_memory->available.set = group->memory_used.set;
		ret_memory->available.value = MAX(0, group->memory_limit.value - group->memory_used.value);
		if (ret_memory->available.set && host->available.set)
			ret_memory->available.value = MIN(ret_memory->available.value, host->available.value);
		return;
	}
	ret_memory->total = host->total;
	ret_memory->available = host->available;
	ret_memory->cache = host->cache;
	ret_memory->used.set = host->total.set && host->available.set;
	ret_memory->used.value = host->total.value - host->available.value;
}

int64_t measure_cpu_count(const struct cgroup_facts *group)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	int64_t count = sysconf(_SC_NPROCESSORS_ONLN);

	if (set && sched_getaffinity(0, size, set) == 0)
		count = CPU_COUNT_S(size, set);
	if (set)
		CPU_FREE(set);
	if (group->cpu_quota.set)
		count = MIN(count, (int64_t)ceil(group->cpu_quota.value));
	return MAX(count, 1);
}

void measure_disk(const char *path, struct disk_figures *ret_disk)
{
	struct statvfs fs;
	double block, total, used;

	*ret_disk = (struct disk_figures){ 0 };
	if (statvfs(path, &fs) < 0)
		return;
	block = (double)fs.f_frsize;
	total = (double)fs.f_blocks * block;
	used = (double)(fs.f_blocks - fs.f_bfree) * block;
	ret_disk->total_gb = (struct opt_num){ true, rounded(total / GIB) };
	ret_disk->used_gb = (struct opt_num){ true, rounded(used / GIB) };
	ret_disk->free_gb = (struct opt_num){ true, rounded((double)fs.f_bavail * block / GIB) };
	ret_disk->percent = measure_percent(used, total);
}

struct opt_num measure_cpu(const struct measure_sample *before, const struct measure_sample *after)
{
	double seconds = (double)(after->at_ns - before->at_ns) / (double)NS_PER_S;

	if (after->group.cpu_quota.set && before->group.cpu_seconds.set && after->group.cpu_seconds.set)
		return measure_percent(after->group.cpu_seconds.value - before->group.cpu_seconds.value,
			seconds * after->group.cpu_quota.value);
	if (!before->cpu.set || !after->cpu.set || after->group.cpu_quota.set)
		return (struct opt_num){ 0 };
	return measure_percent(
		(double)(after->cpu.total - before->cpu.total) - (double)(after->cpu.idle - before->cpu.idle),
		(double)(after->cpu.total - before->cpu.total));
}

static void take_sample(struct measure_sample *ret_sample)
{
	AUTOFREE char *stat = host_read("", "/proc/stat", TEXT_MAX);

	*ret_sample = (struct measure_sample){ .at_ns = clock_now_ns() };
	cgroup_facts_read("", &ret_sample->group);
	if (stat)
		host_parse_cpu(stat, &ret_sample->cpu);
}

static void first_sample(struct job *job)
{
	take_sample(&OWNER(job, struct measure, job)->before);
}

static void read_memory(struct measure *m)
{
	AUTOFREE char *text = host_read("", "/proc/meminfo", TEXT_MAX);
	struct metrics *out = &m->metrics;
	struct host_memory host = { 0 };
	struct memory_figures memory;

	if (text)
		host_parse_memory(text, &host);
	measure_memory(&m->after.group, &host, &memory);
	out->memory_total_mb = measure_mib(memory.total);
	out->memory_used_mb = measure_mib(memory.used);
	out->memory_cache_mb = measure_mib(memory.cache);
	if (memory.used.set)
		out->memory_percent = measure_percent((double)memory.used.value, (double)memory.total.value);
}

static void read_load_and_network(struct metrics *out)
{
	AUTOFREE char *loadavg = host_read("", "/proc/loadavg", TEXT_MAX);
	AUTOFREE char *dev = host_read("", "/proc/self/net/dev", TEXT_MAX);
	struct host_load load = { 0 };
	struct host_network network = { 0 };

	if (loadavg)
		host_parse_load(loadavg, &load);
	if (dev)
		host_parse_network(dev, &network);
	out->cpu_load_1m = load.one;
	out->cpu_load_5m = load.five;
	out->cpu_load_15m = load.fifteen;
	out->network.rx_bytes = (struct opt_int){ network.set, (int64_t)network.rx_bytes };
	out->network.tx_bytes = (struct opt_int){ network.set, (int64_t)network.tx_bytes };
}

static void second_sample(struct job *job)
{
	struct measure *m = OWNER(job, struct measure, job);
	struct disk_figures disk;

	take_sample(&m->after);
	m->metrics.cpu_percent = measure_cpu(&m->before, &m->after);
	read_memory(m);
	read_load_and_network(&m->metrics);
	measure_disk(place_base_path(m->call->caller), &disk);
	m->metrics.disk_total_gb = disk.total_gb;
	m->metrics.disk_used_gb = disk.used_gb;
	m->metrics.disk_percent = disk.percent;
	m->metrics.uptime_seconds = host_uptime("");
	m->metrics.processes = host_processes("");
}

static void complete(struct job *job)
{
	struct measure *m = OWNER(job, struct measure, job);

	m->metrics.open_sessions = counters_get(GAUGE_SESSIONS);
	m->done(m->call, &m->metrics);
}

static void after_a_while(struct timer *t)
{
	struct measure *m = OWNER(t, struct measure, timer);

	if (call_job(m->call, &m->job, LANE_SHORT, second_sample, complete) < 0)
		call_fail(m->call);
}

static void wait_a_while(struct job *job)
{
	struct measure *m = OWNER(job, struct measure, job);

	if (m->call->gone)
		call_fail(m->call);
	else
		timer_start(&m->timer, m->call->loop, BETWEEN_NS, after_a_while);
}

static void on_gone(struct call *call)
{
	struct measure *m = call->state;

	if (!timer_running(&m->timer))
		return;
	timer_stop(&m->timer);
	call_fail(call);
}

static void on_free(struct call *call)
{
	timer_free(&((struct measure *)call->state)->timer);
}

void measure_start(struct call *call, measure_fn *done)
{
	struct measure *m = call_new(call, struct measure);

	if (!m) {
		call_fail(call);
		return;
	}
	m->call = call;
	m->done = done;
	call->state = m;
	call->on_gone = on_gone;
	call->on_free = on_free;
	if (call_job(call, &m->job, LANE_SHORT, first_sample, wait_a_while) < 0)
		call_fail(call);
}
