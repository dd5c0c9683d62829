/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/tree.h"

#include "base/clock.h"
#include "spawn/tree_internal.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PREFIX_LEN = TREE_PREFIX_LEN, LAST_SIGNAL = 64, SIGNAL_BASE = 128 };

/* "r" and 8 random characters, the same for all trees of this server; a counter follows. */
static char prefix[PREFIX_LEN + 1];
static unsigned counter;

struct list_node tree_all = { &tree_all, &tree_all };

const char *tree_prefix(void)
{
	return prefix;
}

static void make_prefix(void)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = (uint64_t)clock_now_ns() * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)getpid();
	prefix[0] = 'r';
	for (size_t i = 1; i < PREFIX_LEN; i++, random >>= 5)
		prefix[i] = digits[random & 31];
}

int tree_init(struct loop *loop, bool use_cgroups)
{
	int result;

	make_prefix();
	/* As pid 1 orphans come to us anyway; a kernel that knows no subreapers leaves the marks. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	result = reaper_start(loop, tree_poll_soon);
	if (result < 0)
		return result;
	/* Without cgroups trees are found in /proc. */
	if (cgroup_init(use_cgroups) < 0)
		assert(!cgroup_available());
	return 0;
}

bool tree_has_cgroups(void)
{
	return cgroup_available();
}

void tree_shutdown(void)
{
	tree_kill_all();
	cgroup_shutdown();
	reaper_stop();
}

static struct tree_exit exit_of(const struct tree *t, int status, const struct rusage *usage)
{
	struct tree_exit e = {
		.cpu_seconds = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
			       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6,
		.max_rss_bytes = (int64_t)usage->ru_maxrss * 1024,
	};

	if (!WIFSIGNALED(status)) {
		e.code = WEXITSTATUS(status);
		return e;
	}
	e.signal = WTERMSIG(status);
	e.code = SIGNAL_BASE + e.signal;
	if (e.signal == SIGKILL)
		e.oom_killed = (t->cgroup && cgroup_oom_kills(t->cgroup) != t->oom_of_tree) ||
			       cgroup_oom_kills(NULL) != t->oom_of_ours;
	return e;
}

static void on_reaped(struct reaped *r, int status, const struct rusage *usage)
{
	struct tree *t = OWNER(r, struct tree, reaped);
	struct tree_exit e = exit_of(t, status, usage);

	t->exited = true;
	close_fd(take_fd(&t->pid_fd));
	if (t->events && t->events->on_exit)
		t->events->on_exit(t, &e, t->user);
}

/* The caller's environment with our mark instead of whatever mark it had. */
static const char **marked_env(const char *const *env, const char *mark)
{
	size_t count = 0, kept = 0;
	const char **marked;

	while (env && env[count])
		count++;
	marked = mem_alloc((count + 2) * sizeof *marked);
	for (size_t i = 0; i < count; i++) {
		if (strncmp(env[i], TREE_MARK, strlen(TREE_MARK)) != 0)
			marked[kept++] = env[i];
	}
	marked[kept] = mark;
	return marked;
}

static struct tree *new_tree(struct loop *loop, const struct tree_events *events, void *user)
{
	struct tree *t = mem_new(struct tree);

	t->loop = loop;
	t->events = events;
	t->user = user;
	t->pid_fd = -1;
	list_append(&tree_all, &t->node);
	snprintf(t->mark, sizeof t->mark, TREE_MARK "%s%u", prefix, counter++);
	t->cgroup = cgroup_take();
	if (t->cgroup)
		t->oom_of_tree = cgroup_oom_kills(t->cgroup);
	t->oom_of_ours = cgroup_oom_kills(NULL);
	return t;
}

/* Limits that the policy wants are never left out in silence. */
static int refuse(struct spawn_failure *ret_failure, struct err *err)
{
	*ret_failure = (struct spawn_failure){ "cgroup", EOPNOTSUPP, "the limits of process.cgroup cannot be set" };
	return err_set(err, ERR_COMMANDS_START, "cannot start the program: %s", ret_failure->reason);
}

/* A cgroup that may not be entered after all does not stop the program: /proc serves then. */
static int start(
	struct tree *t, struct spawn *what, struct child *ret_child, struct spawn_failure *ret_failure, struct err *err)
{
	unsigned wanted = cgroup_limits_wanted(&what->cgroup);
	int result;

	t->limited = t->cgroup ? cgroup_limit(t->cgroup, &what->cgroup) : 0;
	if ((wanted & ~t->limited) && !what->cgroup_best_effort)
		return refuse(ret_failure, err);
	what->cgroup_fd = t->cgroup ? cgroup_fd(t->cgroup) : -1;
	result = spawn_start(what, ret_child, ret_failure, err);
	if (result == 0 || !t->cgroup || strcmp(ret_failure->step, "cgroup") != 0)
		return result;
	if (wanted && !what->cgroup_best_effort)
		return result;
	t->limited = 0;
	if (ret_failure->number != ENODEV)
		cgroup_disable();
	cgroup_give(take_ptr(t->cgroup));
	what->cgroup_fd = -1;
	return spawn_start(what, ret_child, ret_failure, err);
}

struct tree *tree_start(struct loop *loop, const struct spawn *what, const struct tree_events *events, void *user,
	struct child *ret_child, struct spawn_failure *ret_failure, struct err *err)
{
	struct tree *t = new_tree(loop, events, user);
	AUTOFREE const char **env = marked_env(what->env, t->mark);
	struct spawn marked = *what;

	marked.env = env;
	if (start(t, &marked, ret_child, ret_failure, err) < 0) {
		tree_free(t);
		return NULL;
	}
	t->pid = ret_child->pid;
	t->pid_fd = take_fd(&ret_child->pid_fd);
	reaper_add(&t->reaped, t->pid, on_reaped);
	return t;
}

bool tree_has_cgroup(const struct tree *tree)
{
	return tree->cgroup != NULL;
}

unsigned tree_limited(const struct tree *tree)
{
	return tree->limited;
}

const char *tree_id(const struct tree *tree)
{
	return tree->mark + strlen(TREE_MARK);
}

pid_t tree_pid(const struct tree *tree)
{
	return tree->pid;
}

bool tree_exited(const struct tree *tree)
{
	return tree->exited;
}

static struct members_of whose_are(const struct tree *t)
{
	return (struct members_of){
		.leader = t->exited ? 0 : t->pid, .session = t->pid, .mark = t->mark, .seen = &t->seen
	};
}

void tree_chase(struct tree *t, int64_t for_ns)
{
	struct members_of whose = whose_are(t);

	members_chase(&whose, clock_now_ns() + for_ns);
}

static int64_t survey_ns; /* when the walk of the survey began */

void tree_look(struct tree *t)
{
	int64_t before = clock_now_ns();
	struct members found = { 0 };
	struct members_of whose = whose_are(t);

	/* A survey must not make us forget whom we have seen since. */
	if (members_are_shared() && t->seen_ns > survey_ns)
		return;
	if (t->cgroup)
		cgroup_members(t->cgroup, &found);
	else if (members_find(&found, &whose) < 0)
		found.count = 0;
	members_free(&t->seen);
	t->seen = found;
	t->look_ns = clock_now_ns() - before;
	t->seen_ns = members_are_shared() ? survey_ns : before;
}

/* Until it is reaped, which only we do, the number is the leader's. */
int tree_signal_leader(struct tree *t, int number)
{
	if (t->exited)
		return -ESRCH;
	if (t->pid_fd >= 0 && syscall(SYS_pidfd_send_signal, t->pid_fd, number, NULL, 0) == 0)
		return 0;
	if (t->pid_fd >= 0 && errno != ENOSYS)
		return -errno;
	return kill(t->pid, number) == 0 ? 0 : -errno;
}

int tree_signal_member(struct tree *t, const struct member *one, int number)
{
	if (one->pid == t->pid && !t->exited)
		return tree_signal_leader(t, number);
	return t->cgroup ? cgroup_signal(t->cgroup, one, number) : member_signal(one, number);
}

static int signal_all(struct tree *t, int number)
{
	int failure = -ESRCH;
	bool any = false;

	tree_look(t);
	for (size_t i = 0; i < t->seen.count; i++) {
		int result = tree_signal_member(t, &t->seen.all[i], number);

		any |= result == 0;
		/* "Not allowed" says more than "gone". */
		if (result < 0 && result != -ESRCH)
			failure = result;
	}
	return any ? 0 : failure;
}

int tree_signal(struct tree *tree, int number, bool whole)
{
	if (number < 1 || number > LAST_SIGNAL)
		return -EINVAL;
	return whole ? signal_all(tree, number) : tree_signal_leader(tree, number);
}

static size_t seen_descendants(const struct tree *tree)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->seen.count; i++)
		count += tree->exited || tree->seen.all[i].pid != tree->pid;
	return count;
}

size_t tree_descendants(struct tree *tree)
{
	tree_look(tree);
	return seen_descendants(tree);
}

size_t tree_usage(struct tree *tree, double *ret_cpu_seconds, int64_t *ret_rss_bytes)
{
	uint64_t ticks = 0;
	int64_t pages = 0;

	tree_look(tree);
	for (size_t i = 0; i < tree->seen.count; i++) {
		ticks += tree->seen.all[i].ticks;
		pages += tree->seen.all[i].rss_pages;
	}
	*ret_cpu_seconds = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	*ret_rss_bytes = pages * sysconf(_SC_PAGESIZE);
	return seen_descendants(tree);
}

void tree_survey_begin(struct members *walked, int64_t walked_ns)
{
	survey_ns = walked_ns;
	members_share(walked);
}

void tree_survey_end(void)
{
	members_end_sharing();
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	list_remove(&tree->node);
	tree_stop_ending(tree);
	reaper_forget(&tree->reaped);
	close_fd(tree->pid_fd);
	cgroup_give(tree->cgroup);
	members_free(&tree->seen);
	members_free(&tree->told);
	free(tree);
}
