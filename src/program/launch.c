/* SPDX-License-Identifier: Apache-2.0 */
#include "program/launch.h"

#include "policy/policy.h"
#include "program/confine.h"
#include "spawn/failure.h"
#include "spawn/limits.h"

#include <signal.h>
#include <unistd.h>

static void prepare_user(const struct policy *policy, const char *name, struct spawn *spawn)
{
	const struct run_as *user = policy_user(policy, name);

	if (!user)
		return;
	spawn->set_user = true;
	spawn->uid = user->uid;
	spawn->gid = user->gid;
	spawn->groups = user->groups;
	spawn->group_count = user->group_count;
}

static void prepare_limits(const struct policy *policy, struct spawn *spawn)
{
	struct policy_cgroup cgroup = policy_cgroup(policy);
	struct policy_rlimit limits[POLICY_RLIMITS_MAX];
	size_t count = policy_rlimits(policy, limits);

	_Static_assert((int)POLICY_RLIMITS_MAX < (int)SPAWN_LIMITS_MAX, "one more for the descriptors");
	spawn->limits[0].which = RLIMIT_NOFILE;
	spawn->limits[0].value = limits_of_children();
	spawn->limit_count = 1;
	for (size_t i = 0; i < count; i++) {
		/* A later row of the same limit wins. */
		spawn->limits[spawn->limit_count].which = limits[i].which;
		spawn->limits[spawn->limit_count++].value = limits[i].value;
	}
	spawn->umask = policy_umask(policy);
	spawn->cgroup = (struct cgroup_limits){ cgroup.memory_max, cgroup.pids_max, cgroup.cpu_max };
	spawn->cgroup_best_effort = policy_confinement(policy).mode == CONFINE_BEST_EFFORT;
}

static void prepare(const struct policy *policy, const char *user, struct spawn *spawn)
{
	spawn->death_signal = SIGKILL; /* no half-dead owner of a port after a server that was killed */
	prepare_limits(policy, spawn);
	prepare_user(policy, user, spawn);
}

int launch_prepare_for(const struct principal *who, const char *user, struct spawn *spawn, struct err *err)
{
	if (user && policy_check_user(who, user, err) < 0)
		return -1;
	prepare(principal_policy(who), user, spawn);
	return confine_apply(who, spawn, err);
}

int launch_prepare(struct call *call, const char *user, struct spawn *spawn)
{
	return launch_prepare_for(call->caller, user, spawn, &call->err);
}

int launch_prepare_apart(const struct policy *policy, int own_fd, struct spawn *spawn, struct err *err)
{
	prepare(policy, NULL, spawn);
	return confine_apart(policy, own_fd, spawn, err);
}

bool launch_is_root(const struct policy *policy)
{
	const struct run_as *user = policy_user(policy, NULL);

	return geteuid() == 0 && (!user || user->uid == 0);
}

struct tree *launch(struct call *call, const struct spawn *spawn, const struct tree_events *events, void *user,
	struct child *ret_child)
{
	struct str path = str_of(spawn->path ? spawn->path : spawn->argv[0]);
	struct spawn_failure failure;
	struct tree *tree = tree_start(call->loop, spawn, events, user, ret_child, &failure, &call->err);

	if (!tree && call->err.code == ERR_COMMANDS_START) {
		if (spawn->dir_name.len && strcmp(failure.step, "cwd") == 0)
			path = spawn->dir_name;
		failure_set(&call->err, &call->arena, failure.step, failure.number, path, failure.reason);
		call->err.sys_errno = failure.number;
	}
	return tree;
}
