/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/members.h"

#include "base/clock.h"
#include "spawn/reaper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of /proc/<pid>/stat, counted from the state, which is the first behind the name. */
enum { FIELD_ENV_START = 47 };

enum { STAT_SIZE = 1024, ENVIRON_MAX = 256 * 1024, ENVIRON_STEP = 8192, NAME_SIZE = 64, MARK_SIZE = 64 };

void members_free(struct members *m)
{
	free(m->all);
	*m = (struct members){ 0 };
}

void members_add(struct members *m, const struct member *one)
{
	if (m->count == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 64;
		m->all = realloc(m->all, m->cap * sizeof *m->all);
		if (!m->all)
			abort();
	}
	m->all[m->count++] = *one;
}

static ssize_t read_file(const char *name, char *room, size_t size)
{
	AUTOCLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, room, size - 1) : -1;

	if (len >= 0)
		room[len] = '\0';
	return len;
}

/* The name in parentheses may hold anything, so the fields are counted from its end. */
static int parse_stat(const char *text, struct member *ret)
{
	const char *rest = strrchr(text, ')');
	unsigned long user, system;
	long child_user, child_system;
	unsigned long long start;

	if (!rest)
		return -ESRCH;
	if (sscanf(rest + 1,
		    " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %*d %*d %llu %*u %" SCNd64,
		    &ret->state, &ret->parent, &ret->session, &user, &system, &child_user, &child_system, &start,
		    &ret->rss_pages) != 9)
		return -ESRCH;
	ret->ticks = user + system + (unsigned long)child_user + (unsigned long)child_system;
	ret->start = start;
	return 0;
}

int member_read(pid_t pid, struct member *ret_member)
{
	char name[NAME_SIZE], text[STAT_SIZE];

	snprintf(name, sizeof name, "/proc/%d/stat", pid);
	*ret_member = (struct member){ .pid = pid };
	return read_file(name, text, sizeof text) > 0 ? parse_stat(text, ret_member) : -ESRCH;
}

static pid_t pid_of(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return name[0] >= '1' && name[0] <= '9' && *end == '\0' ? (pid_t)number : 0;
}

static int by_pid(const void *a, const void *b)
{
	pid_t left = ((const struct member *)a)->pid, right = ((const struct member *)b)->pid;

	return (left > right) - (left < right);
}

int members_walk(struct members *m)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct member one;

	m->count = 0;
	m->unsettled = false;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		pid_t pid = pid_of(entry->d_name);

		if (pid > 0 && member_read(pid, &one) == 0)
			members_add(m, &one);
	}
	closedir(dir);
	if (m->count)
		qsort(m->all, m->count, sizeof *m->all, by_pid);
	return 0;
}

/* Whose mark a process has, once somebody asked. */
struct known_mark {
	bool known;
	char text[MARK_SIZE];
};

static struct {
	struct members members;
	struct known_mark *marks; /* of each */
	bool stands;
} shared;

void members_share(struct members *walked)
{
	shared.members = *walked;
	*walked = (struct members){ 0 };
	shared.marks = mem_alloc((shared.members.count + 1) * sizeof *shared.marks);
	shared.stands = true;
}

bool members_are_shared(void)
{
	return shared.stands;
}

void members_end_sharing(void)
{
	members_free(&shared.members);
	free(take_ptr(shared.marks));
	shared.stands = false;
}

static int walk_or_copy(struct members *m)
{
	size_t count = shared.members.count;

	if (!shared.stands)
		return members_walk(m);
	*m = (struct members){ .all = mem_alloc((count + 1) * sizeof *m->all), .count = count, .cap = count + 1 };
	memcpy(m->all, shared.members.all, count * sizeof *m->all);
	return 0;
}

static struct member *find(const struct members *m, pid_t pid)
{
	struct member key = { .pid = pid };

	return m->count ? bsearch(&key, m->all, m->count, sizeof key, by_pid) : NULL;
}

int member_recall(pid_t pid, struct member *ret_member)
{
	const struct member *one = shared.stands ? find(&shared.members, pid) : NULL;

	if (!one)
		return member_read(pid, ret_member);
	*ret_member = *one;
	return 0;
}

static bool holds_mark(const char *text, size_t len, const char *mark, bool prefix)
{
	size_t mark_len = strlen(mark);

	for (const char *at = text; at < text + len; at += strlen(at) + 1) {
		if (prefix ? strncmp(at, mark, mark_len) == 0 : strcmp(at, mark) == 0)
			return true;
	}
	return false;
}

/* The whole environment, up to a bound: a child can make its own as large as it likes.  -1 where we may not read it. */
static ssize_t read_environment(pid_t pid, char **ret_text)
{
	char name[NAME_SIZE];
	AUTOFREE char *text = NULL;
	AUTOCLOSE int fd = -1;
	size_t len = 0, cap = 0;
	ssize_t got = 0;

	snprintf(name, sizeof name, "/proc/%d/environ", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	do {
		len += (size_t)got;
		if (len + 1 >= cap) {
			char *larger = cap < ENVIRON_MAX ? realloc(text, cap + ENVIRON_STEP) : NULL;

			if (!larger)
				break;
			text = larger;
			cap += ENVIRON_STEP;
		}
		got = read(fd, text + len, cap - len - 1);
	} while (got > 0);
	if (got < 0 || !text)
		return -1;
	text[len] = '\0';
	*ret_text = take_ptr(text);
	return (ssize_t)len;
}

/* The kernel has taken the old memory away and not yet told where the new environment is. */
static bool is_in_exec(pid_t pid)
{
	char name[NAME_SIZE], text[STAT_SIZE];
	const char *at;

	snprintf(name, sizeof name, "/proc/%d/stat", pid);
	at = read_file(name, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
	for (int field = 0; at && field <= FIELD_ENV_START; field++)
		at = strchr(at + 1, ' ');
	return at && strncmp(at, " 0 ", 3) == 0;
}

/* What begins as the mark does, up to its '='. */
static void learn_mark(pid_t pid, const char *mark, struct known_mark *ret)
{
	AUTOFREE char *text = NULL;
	ssize_t len = read_environment(pid, &text);
	size_t name_len = strcspn(mark, "=") + 1;

	ret->known = true;
	for (const char *at = text; len > 0 && at < text + len; at += strlen(at) + 1) {
		if (strncmp(at, mark, name_len) == 0) {
			snprintf(ret->text, sizeof ret->text, "%s", at);
			return;
		}
	}
}

static bool has_known_mark(pid_t pid, const char *mark, bool prefix)
{
	const struct member *one = find(&shared.members, pid);
	struct known_mark *known = one ? &shared.marks[one - shared.members.all] : NULL;

	if (!known)
		return false;
	if (!known->known)
		learn_mark(pid, mark, known);
	return holds_mark(known->text, 1, mark, prefix);
}

static bool is_marked(struct members *m, pid_t pid, const char *mark, bool prefix)
{
	AUTOFREE char *text = NULL;
	ssize_t len = shared.stands ? 0 : read_environment(pid, &text);

	if (shared.stands)
		return has_known_mark(pid, mark, prefix);
	if (len == 0 && is_in_exec(pid))
		m->unsettled = true;
	return len > 0 && holds_mark(text, (size_t)len, mark, prefix);
}

static bool was_seen(const struct member *one, const struct members_of *whose)
{
	const struct member *before = whose->seen ? find(whose->seen, one->pid) : NULL;

	return before && before->start == one->start;
}

/*
 * Marks are read only where nothing else can tell: of those who came to us as orphans, and
 * of those whose parent went away during the walk.  Another tree's leader is not one.
 */
static bool is_certain(struct members *m, const struct member *one, const struct members_of *whose, pid_t self)
{
	bool orphan = one->parent == self || !find(m, one->parent);

	if (one->pid == self || one->pid == 1)
		return false;
	if (one->pid == whose->leader || was_seen(one, whose))
		return true;
	if (one->parent == self && reaper_knows(one->pid))
		return whose->leaders;
	/* Once the leader is gone its number may name a new session: only orphans of ours count then. */
	if (whose->session && one->session == whose->session && (whose->leader || orphan))
		return true;
	return orphan && one->state != 'Z' && is_marked(m, one->pid, whose->mark, whose->mark_is_prefix);
}

/*
 * An orphan that has just ended may have forked the next one behind the walk's back, again
 * and again: while there are such, not to have seen anybody means nothing.  Those in the
 * session of another tree's living leader are that tree's.
 */
static bool is_trace(const struct member *one, const struct members_of *whose, pid_t self)
{
	return one->state == 'Z' && one->parent == self && !reaper_knows(one->pid) &&
	       (one->session == whose->session || !reaper_knows(one->session));
}

static void spread(struct members *m, pid_t self)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < m->count; i++) {
			struct member *one = &m->all[i], *parent;

			if (one->ours || one->pid == self || one->pid == 1)
				continue;
			parent = find(m, one->parent);
			one->ours = parent && parent->ours;
			changed |= one->ours;
		}
	} while (changed);
}

static void keep_ours(struct members *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->all[i].ours && m->all[i].state != 'Z' && m->all[i].state != 'X')
			m->all[kept++] = m->all[i];
	}
	m->count = kept;
}

int members_find(struct members *m, const struct members_of *whose)
{
	pid_t self = getpid();
	int result = walk_or_copy(m);

	if (result < 0)
		return result;
	for (size_t i = 0; i < m->count; i++) {
		m->all[i].ours = is_certain(m, &m->all[i], whose, self);
		m->unsettled |= is_trace(&m->all[i], whose, self);
	}
	spread(m, self);
	keep_ours(m);
	return 0;
}

/* The number given to a process last, which the kernel tells at the end of its line of load. */
static pid_t newest_pid(void)
{
	char text[NAME_SIZE * 2];
	const char *last = read_file("/proc/loadavg", text, sizeof text) > 0 ? strrchr(text, ' ') : NULL;

	return last ? (pid_t)strtol(last + 1, NULL, 10) : 0;
}

void members_chase(const struct members_of *whose, int64_t until_ns)
{
	pid_t self = getpid();
	struct members_of newest = *whose;
	struct members none = { 0 };
	struct member one;

	while (clock_now_ns() < until_ns) {
		pid_t pid = newest_pid();

		if (pid <= 1 || member_read(pid, &one) < 0 || one.state == 'Z')
			continue;
		newest.session = one.parent == self ? whose->session : 0;
		if (is_certain(&none, &one, &newest, self) && member_signal(&one, SIGKILL) == 0)
			return;
	}
}

static bool is_same(const struct member *one)
{
	struct member now;

	return member_read(one->pid, &now) == 0 && now.start == one->start;
}

/* The descriptor holds on to whoever has the number; only then is it looked at who that is. */
int member_signal(const struct member *one, int number)
{
	AUTOCLOSE int fd = -1;

	if (one->pid <= 1 || one->pid == getpid())
		return -EPERM;
	fd = (int)syscall(SYS_pidfd_open, one->pid, 0);
	if (fd < 0 && errno == ESRCH)
		return -ESRCH;
	if (!is_same(one))
		return -ESRCH;
	if (fd >= 0 && syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0)
		return 0;
	/* Without pidfds the moment between the look and the signal is all there is. */
	if ((fd < 0 || errno == ENOSYS) && kill(one->pid, number) == 0)
		return 0;
	return -errno;
}
