/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the system says of itself in /proc and /etc.  What is not there is "not set".
 * In workers.
 */
#pragma once

#include "base/arena.h"
#include "catalog/field.h"

struct host_memory {
	struct opt_int total, available, cache; /* bytes; cache: page cache that could be given back */
};

struct host_load {
	struct opt_num one, five, fifteen;
};

/* In ticks since the start: all, and those in which a CPU had nothing to do. */
struct host_cpu {
	bool set;
	uint64_t total, idle;
};

struct host_network {
	bool set;
	uint64_t rx_bytes, tx_bytes;
};

/* Pure, over the texts of the files. */
void host_parse_memory(const char *meminfo, struct host_memory *ret_memory);
void host_parse_load(const char *loadavg, struct host_load *ret_load);
void host_parse_cpu(const char *stat, struct host_cpu *ret_cpu);
void host_parse_network(const char *dev, struct host_network *ret_network); /* loopback apart */
bool host_parse_uptime(const char *uptime, double *ret_seconds);

/* PRETTY_NAME, else NAME and VERSION_ID, without their quotes; NULL. */
const char *host_parse_os_release(struct arena *arena, const char *text);

/* What a root says. */
const char *host_distro(struct arena *arena, const char *root);
const char *host_container(const char *root); /* "docker", "podman", "kubernetes", "lxc", …; NULL: no sign of one */
struct opt_num host_uptime(const char *root); /* since the first process of the container or the machine began */
struct opt_int host_processes(const char *root);
