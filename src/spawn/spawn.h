/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a program.
 *
 * The caller fills in a struct spawn and calls spawn_start().  The child gets only what is
 * named here: no other descriptor, no signal setting, no environment.  Everything that
 * allocates happens before the child exists; then the steps of one table in child.c run.
 * If one of them fails, spawn_start() itself fails and names it: a child that exists has
 * been executed.
 *
 * One clone3 with pidfd, cgroup and CLONE_VFORK where the kernel has it, else clone and
 * pidfd_open; what is found out is remembered.  One thread: the loop's.
 */
#pragma once

#include "base/err.h"
#include "spawn/cgroup_limits.h"

#include <sys/resource.h>

enum {
	SPAWN_NULL = -1,
	SPAWN_PIPE = -2,
	SPAWN_PTY = -3, /* for all three at once */
	SPAWN_SAME = -4 /* err only: wherever out goes */
};                      /* or a descriptor, which stays the caller's */

enum { SPAWN_LIMITS_MAX = 8 };

struct spawn {
	const char *path; /* absolute, or a plain name looked up in PATH of env; NULL is argv[0] */
	const char *const *argv;
	const char *const *env; /* NULL is empty */
	int dir_fd;             /* working directory, entered as the user; -1 keeps ours */
	struct str dir_name;    /* what a failure calls it */
	int in, out, err;       /* descriptor or SPAWN_* */
	int extra_fd, extra_as; /* one more descriptor and its number in the child; -1 none (R07's command text) */
	bool extra_twice;       /* also at the number behind that one */
	int cgroup_fd;          /* -1: stay in ours */
	int ruleset_fd;         /* landlock; -1 none */
	int network_fd;         /* a network namespace to join; -1 none */
	bool set_user;
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	size_t group_count;
	mode_t umask;
	struct {
		int which;
		struct rlimit value;
	} limits[SPAWN_LIMITS_MAX];
	size_t limit_count;
	struct cgroup_limits cgroup; /* of the tree */
	bool cgroup_best_effort;     /* those that cannot be set do not keep it from starting */
	bool drop_capabilities;      /* all of them, for good, also for a child that stays root */
	bool no_new_privs;
	int death_signal;       /* PR_SET_PDEATHSIG; 0 none */
	unsigned rows, columns; /* of a pty; 0 is 24 and 80 */
};

/* What a struct spawn starts from: nothing inherited, nothing connected. */
#define SPAWN_INIT \
	{ \
		.dir_fd = -1, .in = SPAWN_NULL, .out = SPAWN_NULL, .err = SPAWN_NULL, .extra_fd = -1, .extra_as = -1, \
		.cgroup_fd = -1, .ruleset_fd = -1, .network_fd = -1, .umask = 022 \
	}

/* The step that failed, when spawn_start() did: for details of commands.cannot_start (R08). */
struct spawn_failure {
	const char *step;   /* "cwd", "exec", "user", "limits", "cgroup", "setup" */
	int number;         /* errno */
	const char *reason; /* "no such file", "not executable", "no interpreter", … ; a constant */
};

struct child {
	pid_t pid;
	int pid_fd; /* -1 where the kernel has none */
	int in, out,
		err; /* our ends, non-blocking, close-on-exec; -1 where none was asked for. A pty: in and out are one dup'ed each */
};

/* Which signals this process ignores is asked once: to be called by who changes that later. */
void spawn_signals_changed(void);

/* 0, or -1 with err (ERR_COMMANDS_START, or ERR_BUSY for EAGAIN, ENOMEM, EMFILE, ENFILE naming what is used up) and failure. */
int spawn_start(const struct spawn *what, struct child *ret_child, struct spawn_failure *ret_failure,
	struct err *err) MUST_CHECK;

/* Closes what is open of it; the program itself runs on. */
void child_close(struct child *child);
