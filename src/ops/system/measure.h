/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of system.metrics and system.prometheus: read twice, a short time apart, so that
 * the use of the CPU is that of now.
 */
#pragma once

#include "call/call.h"
#include "ops/system/cgroup_facts.h"
#include "ops/system/host_facts.h"

struct network_figures {
	struct opt_int rx_bytes, tx_bytes;
};

struct metrics {
	struct opt_num cpu_load_1m, cpu_load_5m, cpu_load_15m, cpu_percent;
	struct opt_num memory_used_mb, memory_total_mb, memory_cache_mb, memory_percent;
	struct opt_num disk_used_gb, disk_total_gb, disk_percent, uptime_seconds;
	struct opt_int processes;
	int64_t open_sessions;
	struct network_figures network;
};

/* What holds for the sandbox: the cgroup's figures where it sets a limit, else the machine's. */
struct memory_figures {
	struct opt_int limit, total, available, used, cache, host_total;
};
void measure_memory(
	const struct cgroup_facts *group, const struct host_memory *host, struct memory_figures *ret_memory);
int64_t measure_cpu_count(const struct cgroup_facts *group); /* that may be used at once */
struct opt_num measure_mib(struct opt_int bytes);
struct opt_num measure_percent(double part, double whole);

struct disk_figures {
	struct opt_num total_gb, used_gb, free_gb, percent;
};
void measure_disk(const char *path, struct disk_figures *ret_disk);

struct measure_sample {
	struct cgroup_facts group;
	struct host_cpu cpu;
	int64_t at_ns;
};
/* Of the quota where there is one, else of all CPUs. */
struct opt_num measure_cpu(const struct measure_sample *before, const struct measure_sample *after);

/* Takes over the call; done() is to finish it. */
typedef void measure_fn(struct call *call, const struct metrics *metrics);
void measure_start(struct call *call, measure_fn *done);
