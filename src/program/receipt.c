/* SPDX-License-Identifier: Apache-2.0 */
#include "program/receipt.h"

#include "policy/policy.h"
#include "program/confine.h"
#include "program/launch.h"
#include "spawn/landlock.h"

#include <stdio.h>
#include <unistd.h>

static const struct field rlimit_rows[] = {
	R_OPT_INT(struct receipt_rlimits, nofile, "Descriptors."),
	R_OPT_INT(struct receipt_rlimits, core, "Bytes of a core dump."),
	R_OPT_INT(struct receipt_rlimits, nproc, "Processes of the user."),
	R_OPT_INT(struct receipt_rlimits, fsize, "Bytes of a file."),
	R_OPT_INT(struct receipt_rlimits, cpu, "Seconds of CPU."),
	R_OPT_INT(struct receipt_rlimits, as, "Bytes of address space."),
	FIELDS_END,
};

static const struct field cgroup_rows[] = {
	R_BOOL(struct receipt_cgroup, own, "It and all that it starts have a cgroup of their own."),
	R_OPT_INT(struct receipt_cgroup, memory_max, "Bytes of memory that they have together."),
	R_OPT_INT(struct receipt_cgroup, pids_max, "How many processes they may be."),
	R_OPT_NUM(struct receipt_cgroup, cpu_max, "CPUs that they have together."),
	FIELDS_END,
};

const struct field receipt_rows[] = {
	R_BOOL(struct receipt, filesystem, "The kernel holds it to the roots and to what programs need of the system."),
	R_BOOL(struct receipt, signals, "It can signal only what it started itself."),
	R_STRING(struct receipt, network, "inherit, none, or tcp_denied where only TCP could be closed."),
	R_BOOL(struct receipt, no_new_privs, "No program that it starts gains privileges, as by setuid."),
	R_BOOL(struct receipt, capabilities_dropped, "It has no capabilities, also as root."),
	R_STRING(struct receipt, user, "Whose rights it has; the number where the user has no name."),
	R_INT(struct receipt, uid, "The user's number."),
	R_INT(struct receipt, gid, "The group's number."),
	R_OBJECT(struct receipt, rlimits, struct receipt_rlimits, "ProcessRlimits", rlimit_rows,
		"Limits of each process; those left out are the server's."),
	R_OBJECT(struct receipt, cgroup, struct receipt_cgroup, "ProcessCgroup", cgroup_rows,
		"Limits of it with all that it starts; those left out are not set."),
	FIELDS_END,
};

static void fill_user(struct receipt *r, const struct policy *policy, const char *name, const struct spawn *spawn)
{
	const struct run_as *user = policy_user(policy, name);

	r->uid = spawn->set_user ? spawn->uid : geteuid();
	r->gid = spawn->set_user ? spawn->gid : getegid();
	if (!user)
		user = policy_self(policy);
	if (user && user->uid == (uid_t)r->uid)
		snprintf(r->user_text, sizeof r->user_text, "%s", user->name);
	else
		snprintf(r->user_text, sizeof r->user_text, "%lld", (long long)r->uid);
}

static void fill_rlimits(struct receipt_rlimits *to, const struct spawn *spawn)
{
	const struct {
		int which;
		struct opt_int *to;
	} rows[] = { { RLIMIT_NOFILE, &to->nofile }, { RLIMIT_CORE, &to->core }, { RLIMIT_NPROC, &to->nproc },
		{ RLIMIT_FSIZE, &to->fsize }, { RLIMIT_CPU, &to->cpu }, { RLIMIT_AS, &to->as } };

	for (size_t i = 0; i < spawn->limit_count; i++) {
		for (size_t row = 0; row < ARRAY_LEN(rows); row++) {
			if (rows[row].which == spawn->limits[i].which &&
				spawn->limits[i].value.rlim_cur != RLIM_INFINITY)
				*rows[row].to = (struct opt_int){ true, (int64_t)spawn->limits[i].value.rlim_cur };
		}
	}
}

static void fill_cgroup(struct receipt_cgroup *to, const struct spawn *spawn, const struct tree *tree)
{
	unsigned limited = tree_limited(tree);

	to->own = tree_has_cgroup(tree);
	to->memory_max = (struct opt_int){ limited & CGROUP_MEMORY, spawn->cgroup.memory_max };
	to->pids_max = (struct opt_int){ limited & CGROUP_PIDS, spawn->cgroup.pids_max };
	to->cpu_max = (struct opt_num){ limited & CGROUP_CPU, spawn->cgroup.cpu_max };
}

void receipt_fill(struct receipt *r, struct call *call, const char *user, const struct tree *tree)
{
	const struct policy *policy = principal_policy(call->caller);
	struct spawn spawn = SPAWN_INIT;

	r->network = "inherit";
	r->user = r->user_text;
	/* The same steps as at the start, which so cannot fail now where they did not fail then. */
	if (launch_prepare(call, user, &spawn) < 0)
		return;
	r->filesystem = spawn.ruleset_fd >= 0;
	r->signals = spawn.ruleset_fd >= 0 && landlock_abi() >= LANDLOCK_ABI_SCOPES;
	r->network = confine_network(policy);
	r->no_new_privs = spawn.no_new_privs;
	r->capabilities_dropped = spawn.drop_capabilities;
	fill_user(r, policy, user, &spawn);
	fill_rlimits(&r->rlimits, &spawn);
	fill_cgroup(&r->cgroup, &spawn, tree);
}
