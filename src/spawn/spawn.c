/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/spawn.h"

#include "spawn/child.h"
#include "spawn/clone.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { DEFAULT_ROWS = 24, DEFAULT_COLUMNS = 80, LAST_SIGNAL = 64 };

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* The descriptors of one start: the child's ends and ours. */
struct ends {
	int child[3]; /* closed when the child has them */
	int ours[3];
};

/* Opened once: /dev/null has no place and no state that those who share it could see. */
static int null_fd = -1;

static void ends_close(struct ends *e)
{
	for (size_t i = 0; i < ARRAY_LEN(e->child); i++) {
		close_fd(e->child[i]);
		close_fd(e->ours[i]);
	}
}

static int set_nonblocking(int fd)
{
	int on = 1;

	return ioctl(fd, FIONBIO, &on) < 0 ? -errno : 0;
}

static int open_pipe(struct ends *e, int index)
{
	int both[2];

	if (pipe2(both, O_CLOEXEC) < 0)
		return -errno;
	e->child[index] = index == 0 ? both[0] : both[1];
	e->ours[index] = index == 0 ? both[1] : both[0];
	return set_nonblocking(e->ours[index]);
}

/* The other side of the pty, without a walk through a /dev/pts that may be another one's. */
static int open_terminal(int master)
{
	char name[64];
	int fd = -1;

#ifdef TIOCGPTPEER
	fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
#endif
	if (fd >= 0)
		return fd;
	if (ptsname_r(master, name, sizeof name) != 0)
		return -errno;
	fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

static void set_up_terminal(int fd, const struct spawn *what)
{
	struct winsize size = {
		.ws_row = (unsigned short)(what->rows ? what->rows : DEFAULT_ROWS),
		.ws_col = (unsigned short)(what->columns ? what->columns : DEFAULT_COLUMNS),
	};
	struct termios mode;

	ioctl(fd, TIOCSWINSZ, &size);
	if (tcgetattr(fd, &mode) == 0) {
		mode.c_iflag |= IUTF8;
		tcsetattr(fd, TCSANOW, &mode);
	}
	/* Programs open their terminal again by its name. */
	if (what->set_user && fchown(fd, what->uid, (gid_t)-1) < 0)
		return;
}

static int open_pty(struct ends *e, const struct spawn *what)
{
	e->ours[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (e->ours[0] < 0 || grantpt(e->ours[0]) < 0 || unlockpt(e->ours[0]) < 0)
		return -errno;
	e->child[0] = open_terminal(e->ours[0]);
	if (e->child[0] < 0)
		return e->child[0];
	set_up_terminal(e->child[0], what);
	e->ours[1] = fcntl(e->ours[0], F_DUPFD_CLOEXEC, 0);
	return e->ours[1] < 0 ? -errno : set_nonblocking(e->ours[0]);
}

/* In a root without /dev the input is a pipe that has ended; output to nowhere is not possible there. */
static int open_null(struct ends *e, int index)
{
	int result;

	if (null_fd < 0)
		null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd >= 0)
		return 0;
	if (index != 0 || errno != ENOENT)
		return -errno;
	result = open_pipe(e, 0);
	close_fd(take_fd(&e->ours[0]));
	return result;
}

static int open_one(struct ends *e, int index, int wanted)
{
	if (wanted == SPAWN_PIPE)
		return open_pipe(e, index);
	return wanted == SPAWN_NULL ? open_null(e, index) : 0;
}

static int open_ends(struct ends *e, const struct spawn *what)
{
	const int wanted[3] = { what->in, what->out, what->err };

	if (what->in == SPAWN_PTY)
		return open_pty(e, what);
	for (int i = 0; i < 3; i++) {
		int result = open_one(e, i, wanted[i]);

		if (result < 0)
			return result;
	}
	return 0;
}

/* What becomes the child's 0, 1 and 2. */
static int child_end(const struct ends *e, const struct spawn *what, int index)
{
	const int wanted[3] = { what->in, what->out, what->err };

	if (what->in == SPAWN_PTY)
		return e->child[0];
	if (wanted[index] == SPAWN_SAME)
		return child_end(e, what, 1);
	if (wanted[index] == SPAWN_NULL)
		return e->child[index] >= 0 ? e->child[index] : null_fd;
	return wanted[index] == SPAWN_PIPE ? e->child[index] : wanted[index];
}

static const char *path_list_of(const char *const *env)
{
	for (; env && *env; env++) {
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	}
	return DEFAULT_PATH;
}

static const char *used_up(int number)
{
	switch (number) {
	case EAGAIN:
		return "processes are used up (EAGAIN)";
	case ENOMEM:
		return "memory is used up (ENOMEM)";
	case EMFILE:
	case ENFILE:
		return "descriptors are used up (EMFILE)";
	default:
		return NULL;
	}
}

static int fail(const struct spawn *what, struct spawn_failure f, struct spawn_failure *ret_failure, struct err *err)
{
	const char *busy = used_up(f.number);
	const char *name = what->path ? what->path : what->argv[0];

	if (busy)
		f.reason = busy;
	if (!f.reason)
		f.reason = strerrordesc_np(f.number);
	if (!f.reason)
		f.reason = "unknown error";
	*ret_failure = f;
	if (busy)
		return err_set(err, ERR_BUSY, "cannot start '%s': %s", name, busy);
	if (strcmp(f.step, "cwd") == 0)
		return err_set(
			err, ERR_COMMANDS_START, "cannot enter the working directory of '%s': %s", name, f.reason);
	if (strcmp(f.step, "exec") == 0)
		return err_set(err, ERR_COMMANDS_START, "cannot start '%s': %s", name, f.reason);
	return err_set(err, ERR_COMMANDS_START, "cannot start '%s' (%s): %s", name, f.step, f.reason);
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static struct {
	bool known;
	uint64_t set;
} ignored;

/* Asking costs a call for each of 64, and in a server nobody changes them.  glibc's sigaction() hides its own two. */
static uint64_t ignored_signals(void)
{
	uintptr_t action[16];

	for (int number = 1; !ignored.known && number <= LAST_SIGNAL; number++) {
		if (syscall(SYS_rt_sigaction, number, NULL, action, sizeof ignored.set) == 0 &&
			action[0] == (uintptr_t)SIG_IGN)
			ignored.set |= UINT64_C(1) << (number - 1);
	}
	ignored.known = true;
	return ignored.set;
}

void spawn_signals_changed(void)
{
	ignored.known = false;
	ignored.set = 0;
}

/* 0, or a failure in *ret_failure; what came of the plan. */
static int run(struct child_plan *plan, pid_t *ret_pid, int *ret_pid_fd, struct spawn_failure *ret_failure)
{
	int pid_fd;
	pid_t pid = clone_child(plan, &pid_fd);

	if (pid < 0) {
		/* What only joining a cgroup can meet; a caller may try again without one. */
		bool cgroup = plan->cgroup_fd >= 0 && (pid == -EACCES || pid == -EBUSY || pid == -ENODEV ||
							      pid == -EOPNOTSUPP || pid == -EBADF);

		*ret_failure = (struct spawn_failure){ .step = cgroup ? "cgroup" : "setup", .number = -pid };
		return -1;
	}
	/* A child that was killed on its way tells nothing. */
	if (plan->error || !child_step_is_exec(plan->step)) {
		reap(pid);
		close_fd(pid_fd);
		*ret_failure = (struct spawn_failure){
			.step = child_step_name(plan->step),
			.number = plan->error ? plan->error : EINTR,
			.reason = plan->error ? plan->reason : "killed before it could start",
		};
		return -1;
	}
	*ret_pid = pid;
	*ret_pid_fd = pid_fd;
	return 0;
}

int spawn_start(const struct spawn *what, struct child *ret_child, struct spawn_failure *ret_failure, struct err *err)
{
	CLEANUP(ends_close) struct ends ends = { .child = { -1, -1, -1 }, .ours = { -1, -1, -1 } };
	struct child_plan plan = { .what = what, .path_list = path_list_of(what->env), .parent = getpid() };
	struct spawn_failure failure = { .step = "setup" };
	int result;

	assert(what->argv && what->argv[0] && what->limit_count <= ARRAY_LEN(what->limits));
	result = open_ends(&ends, what);
	if (result < 0) {
		failure.number = -result;
		return fail(what, failure, ret_failure, err);
	}
	for (int i = 0; i < 3; i++)
		plan.stdio[i] = child_end(&ends, what, i);
	plan.is_pty = what->in == SPAWN_PTY;
	plan.extra_fd = what->extra_fd;
	plan.dir_fd = what->dir_fd;
	plan.ruleset_fd = what->ruleset_fd;
	plan.network_fd = what->network_fd;
	plan.cgroup_fd = what->cgroup_fd;
	plan.ignored = ignored_signals();
	if (run(&plan, &ret_child->pid, &ret_child->pid_fd, &failure) < 0)
		return fail(what, failure, ret_failure, err);
	ret_child->in = take_fd(&ends.ours[0]);
	ret_child->out = take_fd(&ends.ours[1]);
	ret_child->err = take_fd(&ends.ours[2]);
	return 0;
}

void child_close(struct child *child)
{
	int *const all[] = { &child->pid_fd, &child->in, &child->out, &child->err };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		close_fd(take_fd(all[i]));
}
