/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.info: what the sandbox is made of.
 */
#include "ops/system/host_files.h"
#include "ops/system/measure.h"
#include "policy/place.h"
#include "program/program.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, VERSION_MAX = 256, PROBE_SECONDS = 5 };
enum { PYTHON, NODE, PROBES };

struct out {
	const char *os, *arch, *kernel, *distro, *hostname;
	int64_t cpu_count, host_cpu_count;
	struct opt_num cpu_quota;
	struct opt_num memory_total_mb, memory_available_mb, memory_limit_mb, host_memory_total_mb;
	struct opt_num disk_total_gb, disk_free_gb;
	const char *python_version, *node_version, *container;
	struct opt_num uptime_seconds;
};

static const struct field result[] = {
	R_STRING(struct out, os, "The system's name."),
	R_STRING(struct out, arch, "The machine's kind."),
	R_STRING(struct out, kernel, "The kernel's release."),
	R_NULL_STRING(struct out, distro, "The distribution."),
	R_STRING(struct out, hostname, "The host's name."),
	R_INT(struct out, cpu_count, "CPUs that may be used at once, the quota rounded up."),
	R_INT(struct out, host_cpu_count, "CPUs of the machine."),
	R_NULL_NUM(struct out, cpu_quota, "The cgroup's quota in CPUs; null: none."),
	R_NULL_NUM(struct out, memory_total_mb, "MiB that may be used: the cgroup's limit, or the machine's memory."),
	R_NULL_NUM(struct out, memory_available_mb, "MiB of it that are not in use."),
	R_NULL_NUM(struct out, memory_limit_mb, "The cgroup's limit in MiB; null: none."),
	R_NULL_NUM(struct out, host_memory_total_mb, "MiB of the machine."),
	R_NULL_NUM(struct out, disk_total_gb, "GiB of the file system of the base directory."),
	R_NULL_NUM(struct out, disk_free_gb, "GiB of it that can be written."),
	R_NULL_STRING(struct out, python_version, "Of python3; null: there is none."),
	R_NULL_STRING(struct out, node_version, "Of Node.js; null: there is none."),
	R_NULL_STRING(struct out, container, "The kind of container, docker for example; null: no sign of one."),
	R_NULL_NUM(struct out, uptime_seconds, "Since the sandbox's first process began."),
	FIELDS_END,
};

struct info {
	struct call *call;
	struct job job;
	struct program probes[PROBES];
	struct out out;
	unsigned pending;
	int status;
};

static int add_names(struct call *call, struct out *out)
{
	struct utsname names;

	if (uname(&names) < 0)
		return err_set(&call->err, ERR_INTERNAL, "the system does not say its name");
	out->arch = arena_strdup(&call->arena, names.machine);
	out->kernel = arena_strdup(&call->arena, names.release);
	out->hostname = arena_strdup(&call->arena, names.nodename);
	out->distro = host_distro(&call->arena, "");
	out->container = host_container("");
	if (!out->arch || !out->kernel || !out->hostname)
		return err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
	out->os = arena_strdup(&call->arena, names.sysname);
	return out->os ? 0 : err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
}

static void read_facts(struct job *job)
{
	struct info *info = OWNER(job, struct info, job);
	struct out *out = &info->out;
	AUTOFREE char *meminfo = host_read("", "/proc/meminfo", TEXT_MAX);
	struct cgroup_facts group;
	struct host_memory host = { 0 };
	struct memory_figures memory;
	struct disk_figures disk;

	cgroup_facts_read("", &group);
	if (meminfo)
		host_parse_memory(meminfo, &host);
	measure_memory(&group, &host, &memory);
	measure_disk(place_base_path(info->call->caller), &disk);
	out->cpu_count = measure_cpu_count(&group);
	out->host_cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
	out->cpu_quota = group.cpu_quota;
	out->memory_total_mb = measure_mib(memory.total);
	out->memory_available_mb = measure_mib(memory.available);
	out->memory_limit_mb = measure_mib(memory.limit);
	out->host_memory_total_mb = measure_mib(memory.host_total);
	out->disk_total_gb = disk.total_gb;
	out->disk_free_gb = disk.free_gb;
	out->uptime_seconds = host_uptime("");
	info->status = add_names(info->call, out);
}

/* "Python 3.11.2" or "v18.19.0" */
static const char *version_in(struct call *call, const struct program *p)
{
	struct str said = p->call && p->running.exit.code == 0 ? program_output(p, PIPES_OUT) : (struct str){ NULL, 0 };
	struct str line = str_trim(str_cut(&said, '\n'));

	if (str_starts(line, "Python "))
		line = (struct str){ line.p + strlen("Python "), line.len - strlen("Python ") };
	else if (str_starts(line, "v"))
		line = (struct str){ line.p + 1, line.len - 1 };
	return line.len ? arena_strndup(&call->arena, line.p, line.len) : NULL;
}

static void finish(struct info *info)
{
	info->out.python_version = version_in(info->call, &info->probes[PYTHON]);
	info->out.node_version = version_in(info->call, &info->probes[NODE]);
	call_reply(info->call, &info->out);
}

static void on_probed(struct program *p)
{
	struct info *info = p->call->state;

	if (--info->pending == 0)
		finish(info);
}

/* One that is not there is an answer too. */
static void probe(struct info *info, int which, const char *const *argv)
{
	struct call *call = info->call;
	struct child_env env;
	struct program_plan plan = {
		.argv = argv, .dir_fd = -1, .extra_fd = -1, .timeout_s = PROBE_SECONDS, .max_bytes = VERSION_MAX
	};

	child_env_init(&env, &call->arena);
	program_clean_env(call, &env);
	plan.env = child_env_items(&env);
	if (program_start(&info->probes[which], call, &plan, on_probed) == 0)
		info->pending++;
	else
		call->err = (struct err){ 0 };
}

static void facts_read(struct job *job)
{
	static const char *const python[] = { "python3", "-I", "--version", NULL };
	static const char *const node[] = { "node", "--version", NULL };
	struct info *info = OWNER(job, struct info, job);

	if (info->status < 0 || info->call->gone) {
		call_fail(info->call);
		return;
	}
	probe(info, PYTHON, python);
	probe(info, NODE, node);
	if (!info->pending)
		finish(info);
}

static void on_gone(struct call *call)
{
	struct info *info = call->state;

	for (int i = 0; i < PROBES; i++) {
		if (info->probes[i].call && !info->probes[i].running.exited)
			program_cancel(&info->probes[i]);
	}
}

static void on_free(struct call *call)
{
	struct info *info = call->state;

	for (int i = 0; i < PROBES; i++)
		program_free(&info->probes[i]);
}

static void start(struct call *call)
{
	struct info *info = call_new(call, struct info);

	if (!info) {
		call_fail(call);
		return;
	}
	info->call = call;
	call->state = info;
	call->on_gone = on_gone;
	call->on_free = on_free;
	if (call_job(call, &info->job, LANE_SHORT, read_facts, facts_read) < 0)
		call_fail(call);
}

const struct op op_system_info = {
	.id = "system.info",
	.endpoint = "system_info",
	.group = "system",
	.scope = "system:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/system/info",
	.since = "0.1.0",
	.summary = "Tell what the sandbox is made of.",
	.description =
		"Memory and CPU are the cgroup's where it sets a limit; those of the machine stand under names of their own. No limit "
		"and what is not known are null.",
	.example = { .args = JSON_TEXT({}), .abx = "info" },
	.effects = OP_READS | OP_RUNS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
