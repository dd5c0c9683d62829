/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The stack is used again by the next child without having been unwound, which ASan takes for an error. */
#define IN_CHILD __attribute__((no_sanitize("address", "undefined")))

enum { FIRST_FREE_FD = 3, LAST_SIGNAL = 64, FD_NUMBERS_MAX = 65536, PATH_SIZE = 4096 };

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

IN_CHILD static int result_of(long value)
{
	return value < 0 ? errno : 0;
}

/*
 * glibc's sigaction() refuses its own two signals and clone3's CLONE_CLEAR_SIGHAND leaves
 * ignored ones ignored, so those, or without clone3 all, are set by hand.  The layout's end
 * differs between architectures; all zero is the default action on each.
 */
IN_CHILD static int step_signals(struct child_plan *plan)
{
	uint64_t none = 0;
	uint64_t action[8];

	for (size_t i = 0; i < ARRAY_LEN(action); i++)
		action[i] = 0;
	for (int number = 1; number <= LAST_SIGNAL; number++) {
		if (!plan->handlers_cleared || plan->ignored >> (number - 1) & 1)
			syscall(SYS_rt_sigaction, number, action, NULL, sizeof none);
	}
	return result_of(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none));
}

IN_CHILD static int step_cgroup(struct child_plan *plan)
{
	int fd, error;

	if (plan->cgroup_fd < 0)
		return 0;
	fd = openat(plan->cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	error = result_of(write(fd, "0", 1));
	close(fd);
	return error;
}

IN_CHILD static int step_session(struct child_plan *plan)
{
	(void)plan;
	return result_of(setsid());
}

IN_CHILD static int step_pty(struct child_plan *plan)
{
	return plan->is_pty ? result_of(ioctl(plan->stdio[0], TIOCSCTTY, 0)) : 0;
}

/* The numbers that the extra descriptor gets: first to last; none when first is -1. */
IN_CHILD static int extra_first(const struct child_plan *plan)
{
	return plan->extra_fd >= 0 ? plan->what->extra_as : -1;
}

IN_CHILD static int extra_last(const struct child_plan *plan)
{
	return extra_first(plan) + (plan->what->extra_twice ? 1 : 0);
}

/* Moves a descriptor out of the way of the numbers that are about to be given away. */
IN_CHILD static int move_up(int *fd, int first, int last)
{
	int moved;

	if (*fd < 0 || (*fd >= FIRST_FREE_FD && (first < 0 || *fd < first || *fd > last)))
		return 0;
	moved = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	if (moved < 0)
		return errno;
	if (first >= 0 && moved >= first && moved <= last)
		moved = fcntl(*fd, F_DUPFD_CLOEXEC, last + 1);
	if (moved < 0)
		return errno;
	*fd = moved;
	return 0;
}

IN_CHILD static int step_stdio(struct child_plan *plan)
{
	int *const all[] = { &plan->stdio[0], &plan->stdio[1], &plan->stdio[2], &plan->extra_fd, &plan->dir_fd,
		&plan->ruleset_fd, &plan->network_fd };
	int first = extra_first(plan), last = extra_last(plan);

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		int error = move_up(all[i], first, last);

		if (error)
			return error;
	}
	for (int i = 0; i < FIRST_FREE_FD; i++) {
		if (dup2(plan->stdio[i], i) < 0)
			return errno;
	}
	for (int fd = first; first >= 0 && fd <= last; fd++) {
		if (dup2(plan->extra_fd, fd) < 0)
			return errno;
	}
	return 0;
}

IN_CHILD static int step_umask(struct child_plan *plan)
{
	umask(plan->what->umask);
	return 0;
}

IN_CHILD static int step_limits(struct child_plan *plan)
{
	for (size_t i = 0; i < plan->what->limit_count; i++) {
		if (setrlimit(plan->what->limits[i].which, &plan->what->limits[i].value) < 0)
			return errno;
	}
	return 0;
}

IN_CHILD static int step_network(struct child_plan *plan)
{
	return plan->network_fd >= 0 ? result_of(setns(plan->network_fd, CLONE_NEWNET)) : 0;
}

IN_CHILD static bool is_user_already(const struct spawn *what)
{
	return geteuid() != 0 && getuid() == what->uid && geteuid() == what->uid && getgid() == what->gid &&
	       getegid() == what->gid;
}

/* Raw calls: glibc's would make every thread of the parent change its user. */
IN_CHILD static int step_user(struct child_plan *plan)
{
	const struct spawn *what = plan->what;

	if (!what->set_user || is_user_already(what))
		return 0;
#ifdef SYS_setgroups32
	if (syscall(SYS_setgroups32, what->group_count, what->groups) < 0 ||
		syscall(SYS_setresgid32, what->gid, what->gid, what->gid) < 0)
		return errno;
	return result_of(syscall(SYS_setresuid32, what->uid, what->uid, what->uid));
#else
	if (syscall(SYS_setgroups, what->group_count, what->groups) < 0 ||
		syscall(SYS_setresgid, what->gid, what->gid, what->gid) < 0)
		return errno;
	return result_of(syscall(SYS_setresuid, what->uid, what->uid, what->uid));
#endif
}

/* The bounding set it does not have any more (bounds.h), so that they come back for nobody, not for root and not by setuid programs. */
IN_CHILD static int step_capabilities(struct child_plan *plan)
{
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];

	if (!plan->what->drop_capabilities)
		return 0;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	head.version = _LINUX_CAPABILITY_VERSION_3;
	head.pid = 0;
	for (size_t i = 0; i < ARRAY_LEN(data); i++)
		data[i].effective = data[i].permitted = data[i].inheritable = 0;
	return result_of(syscall(SYS_capset, &head, data));
}

/* After the user: the folder has to be one that he may enter. */
IN_CHILD static int step_cwd(struct child_plan *plan)
{
	return plan->dir_fd >= 0 ? result_of(fchdir(plan->dir_fd)) : 0;
}

IN_CHILD static int step_no_new_privs(struct child_plan *plan)
{
	return plan->what->no_new_privs ? result_of(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) : 0;
}

IN_CHILD static int step_landlock(struct child_plan *plan)
{
	return plan->ruleset_fd >= 0 ? result_of(syscall(SYS_landlock_restrict_self, plan->ruleset_fd, 0)) : 0;
}

/* After the user, whose change would forget it. */
IN_CHILD static int step_death_signal(struct child_plan *plan)
{
	if (plan->what->death_signal == 0)
		return 0;
	if (prctl(PR_SET_PDEATHSIG, plan->what->death_signal, 0, 0, 0) < 0)
		return errno;
	/* The parent may have died before the request was made. */
	return getppid() == plan->parent ? 0 : ESRCH;
}

struct entry {
	uint64_t inode;
	int64_t next;
	unsigned short size;
	unsigned char type;
	char name[];
};

IN_CHILD static int number_of(const char *name)
{
	int number = 0;

	if (*name == '\0')
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9')
			return -1;
		number = number * 10 + (*name - '0');
	}
	return number;
}

/* Without close_range: those that /proc lists; without /proc: every number that may be one. */
IN_CHILD static void close_listed(int first, int last)
{
	_Alignas(struct entry) char room[2048];
	int list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size;

	if (list < 0) {
		for (int fd = FIRST_FREE_FD; fd < FD_NUMBERS_MAX; fd++) {
			if (fd < first || fd > last)
				close(fd);
		}
		return;
	}
	while ((size = syscall(SYS_getdents64, list, room, sizeof room)) > 0) {
		for (long at = 0; at < size; at += ((struct entry *)(room + at))->size) {
			int fd = number_of(((struct entry *)(room + at))->name);

			if (fd >= FIRST_FREE_FD && (fd < first || fd > last) && fd != list)
				close(fd);
		}
	}
	close(list);
}

IN_CHILD static int step_descriptors(struct child_plan *plan)
{
	int first = extra_first(plan), last = extra_last(plan);
	long result = 0;

	if (first < FIRST_FREE_FD) {
		first = last = -1;
		result = syscall(SYS_close_range, FIRST_FREE_FD, ~0U, 0);
	} else {
		if (first > FIRST_FREE_FD)
			result = syscall(SYS_close_range, FIRST_FREE_FD, first - 1, 0);
		if (result == 0)
			result = syscall(SYS_close_range, last + 1, ~0U, 0);
	}
	if (result < 0)
		close_listed(first, last);
	return 0;
}

static const char no_file[] = "no such file";
static const char no_interpreter[] = "no interpreter";

/* Why execve() said so, as the child sees it: with its user, folder and walls. */
IN_CHILD static const char *exec_reason(const char *path, int error)
{
	struct stat st;

	switch (error) {
	case ENOENT:
		return stat(path, &st) == 0 ? no_interpreter : no_file;
	case ENOTDIR:
		return no_file;
	case EACCES:
		if (stat(path, &st) < 0)
			return "permission denied";
		if (S_ISDIR(st.st_mode))
			return "is a folder";
		return S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0 ? "permission denied" : "not executable";
	case ENOEXEC:
		return "not a program";
	case ETXTBSY:
		return "open for writing";
	case E2BIG:
		return "arguments or environment too large";
	default:
		return NULL;
	}
}

IN_CHILD static int try_exec(struct child_plan *plan, const char *path)
{
	static const char *const nothing[] = { NULL };
	const char *const *env = plan->what->env ? plan->what->env : nothing;
	int error;

	execve(path, (char *const *)plan->what->argv, (char *const *)env);
	error = errno;
	plan->reason = exec_reason(path, error);
	return error;
}

/* The next entry of the list and the name, in path; false when that is too long. */
IN_CHILD static bool join(char *path, const char *dir, size_t dir_len, const char *name)
{
	size_t at = 0;

	if (dir_len + 2 >= PATH_SIZE)
		return false;
	for (; at < dir_len; at++)
		path[at] = dir[at];
	if (at > 0)
		path[at++] = '/';
	for (; *name && at < PATH_SIZE - 1; name++)
		path[at++] = *name;
	path[at] = '\0';
	return *name == '\0';
}

IN_CHILD static bool may_be_elsewhere(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == ESTALE || error == ENODEV ||
	       error == ETIMEDOUT;
}

/* As execvp, but a file that is there and cannot run is a better answer than "no such file". */
IN_CHILD static int search(struct child_plan *plan, const char *name)
{
	char path[PATH_SIZE];
	const char *dir = plan->path_list;
	const char *best = no_file;
	int best_error = ENOENT;

	for (;;) {
		size_t len = 0;
		int error = ENOENT;

		while (dir[len] && dir[len] != ':')
			len++;
		plan->reason = NULL;
		if (join(path, dir, len, name))
			error = try_exec(plan, path);
		if (!may_be_elsewhere(error))
			return error;
		if (error == EACCES || plan->reason == no_interpreter) {
			best_error = error;
			best = plan->reason;
		}
		if (dir[len] == '\0')
			break;
		dir += len + 1;
	}
	plan->reason = best;
	return best_error;
}

IN_CHILD static int step_exec(struct child_plan *plan)
{
	const char *path = plan->what->path ? plan->what->path : plan->what->argv[0];

	if (*path == '\0') {
		plan->reason = no_file;
		return ENOENT;
	}
	for (const char *p = path; *p; p++) {
		if (*p == '/')
			return try_exec(plan, path);
	}
	return search(plan, path);
}

/*
 * The order matters: the cgroup and the limits while we still may, the folder as the user,
 * no_new_privs before landlock, the descriptors when nobody needs them any more.
 */
static const struct {
	const char *name; /* for R08; several are one to the caller */
	int (*run)(struct child_plan *plan);
} steps[] = {
	{ "setup", step_signals },
	{ "cgroup", step_cgroup },
	{ "setup", step_session },
	{ "setup", step_pty },
	{ "setup", step_stdio },
	{ "setup", step_umask },
	{ "limits", step_limits },
	{ "setup", step_network },
	{ "user", step_user },
	{ "setup", step_capabilities },
	{ "cwd", step_cwd },
	{ "setup", step_no_new_privs },
	{ "setup", step_landlock },
	{ "setup", step_death_signal },
	{ "setup", step_descriptors },
	{ "exec", step_exec },
};

const char *child_step_name(size_t step)
{
	return steps[step].name;
}

bool child_step_is_exec(size_t step)
{
	return step == ARRAY_LEN(steps) - 1;
}

IN_CHILD int child_main(void *arg)
{
	struct child_plan *plan = arg;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		plan->step = i;
		plan->error = steps[i].run(plan);
		if (plan->error)
			break;
	}
	return 127;
}
