/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/cgroup.h"

#include "base/buf.h"
#include "base/clock.h"
#include "spawn/mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	IDLE_MAX = 8,   /* empty folders kept, each with a descriptor */
	LOOK_MAX = 4,   /* folders looked at for having become empty, per take */
	DEPTH_MAX = 16, /* of folders that members make below theirs */
	NAME_SIZE = 64,
	TEXT_MAX = 1024 * 1024,
	SHUTDOWN_WAIT_MS = 200,
	MAKE_MAX = 100, /* attempts at a folder of our own */
};

struct cgroup {
	unsigned number;  /* its name */
	int fd;           /* -1 while it lingers */
	int events_fd;    /* kept from the first look on, so that the next costs one call */
	unsigned limited; /* controllers that hold a limit, of this tree or of one before it */
	bool spent; /* cgroup.kill was used: kernels of 6.14 and later kill whoever is cloned into it afterwards */
	struct cgroup *next;
};

static struct {
	bool available;
	int own_fd, fd; /* our cgroup, the server's folder in it */
	char name[NAME_SIZE];
	unsigned made, idle_count;
	struct cgroup *idle;
	struct cgroup *lingering, **lingering_end; /* given back with somebody in it */
	int oom_fd;                                /* where our own kills are counted */
	bool oom_events;                           /* a tree's folder has memory.events */
	unsigned controllers, asked;               /* that trees' folders have; that were asked for already */
	bool initialised;
} group = { .own_fd = -1, .fd = -1, .oom_fd = -1 };

static bool kill_unknown;

static void read_whole(int dir, const char *name, struct buf *to)
{
	AUTOCLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char *at;
	ssize_t got;

	buf_init(to, TEXT_MAX);
	while (fd >= 0 && (at = buf_reserve(to, 4096)) && (got = read(fd, at, 4096)) > 0)
		buf_commit(to, (size_t)got);
	buf_addc(to, '\0');
}

static bool write_to(int dir, const char *name, const char *text)
{
	AUTOCLOSE int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static int open_dir(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Calls fn for each folder in dir; most have none, which the link count tells. */
static void each_folder(int dir, void (*fn)(int dir, const char *name, void *arg), void *arg)
{
	struct stat st;
	struct dirent *entry;
	DIR *list;
	int fd;

	if (fstat(dir, &st) < 0 || st.st_nlink == 2)
		return;
	fd = open_dir(dir, ".");
	list = fd >= 0 ? fdopendir(fd) : NULL;
	if (!list) {
		close_fd(fd);
		return;
	}
	while ((entry = readdir(list))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			fn(dir, entry->d_name, arg);
	}
	closedir(list);
}

static void remove_folder(int dir, const char *name, void *arg)
{
	int depth = arg ? *(int *)arg : 0;
	AUTOCLOSE int fd = -1;

	if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || depth >= DEPTH_MAX)
		return;
	depth++;
	fd = open_dir(dir, name);
	if (fd >= 0)
		each_folder(fd, remove_folder, &depth);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/*
 * Nothing holds the lock of a dead server's folder.  What that server left behind is ended, so that no
 * half-dead owner of a port meets the new one; a folder that empties only later goes at the next start.
 */
static void remove_if_dead(int dir, const char *name, void *arg)
{
	AUTOCLOSE int fd = strncmp(name, "abx-", 4) == 0 ? open_dir(dir, name) : -1;

	(void)arg;
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	write_to(fd, "cgroup.kill", "1");
	remove_folder(dir, name, NULL);
}

static int find_folder(const char *controller, char path[static MOUNT_PATH_SIZE])
{
	struct buf mounts CLEANUP(cleanup_buf), cgroups CLEANUP(cleanup_buf);

	read_whole(AT_FDCWD, "/proc/self/mountinfo", &mounts);
	read_whole(AT_FDCWD, "/proc/self/cgroup", &cgroups);
	if (buf_failed(&mounts) || buf_failed(&cgroups))
		return -ENOMEM;
	return mount_cgroup(mounts.data, cgroups.data, controller, path);
}

/* Until it is locked another server that starts at this moment may take it for a dead one's. */
static bool lock_own(void)
{
	struct stat there, ours;

	group.fd = open_dir(group.own_fd, group.name);
	if (group.fd >= 0 && flock(group.fd, LOCK_EX | LOCK_NB) == 0 && fstat(group.fd, &ours) == 0 &&
		fstatat(group.own_fd, group.name, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == ours.st_ino)
		return true;
	close_fd(take_fd(&group.fd));
	unlinkat(group.own_fd, group.name, AT_REMOVEDIR);
	return false;
}

static int make_own(void)
{
	uint32_t random = 0;

	/* Moving a process needs the right to write where both sides meet, which is our own cgroup. */
	if (faccessat(group.own_fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return -errno;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = (uint32_t)clock_now_ns();
	for (int i = 0; i < MAKE_MAX; i++) {
		snprintf(group.name, sizeof group.name, "abx-%d-%08x", getpid(), random + (uint32_t)i);
		if (mkdirat(group.own_fd, group.name, 0755) < 0)
			return -errno;
		if (lock_own()) {
			group.lingering_end = &group.lingering;
			return 0;
		}
	}
	return -EBUSY;
}

static void find_oom_counter(void)
{
	char path[MOUNT_PATH_SIZE];

	if (group.own_fd >= 0)
		group.oom_fd = openat(group.own_fd, "memory.events", O_RDONLY | O_CLOEXEC);
	if (group.oom_fd >= 0 || find_folder("memory", path) < 0)
		return;
	snprintf(path + strlen(path), sizeof path - strlen(path), "/memory.oom_control");
	group.oom_fd = open(path, O_RDONLY | O_CLOEXEC);
}

int cgroup_init(bool wanted)
{
	char path[MOUNT_PATH_SIZE];
	int result = find_folder(NULL, path);

	group.initialised = true;
	if (result == 0)
		group.own_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	find_oom_counter();
	if (group.own_fd < 0 || !wanted)
		return -ENOENT;
	each_folder(group.own_fd, remove_if_dead, NULL);
	result = make_own();
	group.available = result == 0;
	return result;
}

/* Once for each controller: whoever is refused is so for good. */
static void enable(unsigned wanted)
{
	wanted &= ~group.asked;
	if (!wanted || !group.available)
		return;
	group.asked |= wanted;
	group.controllers |= cgroup_limits_enable(group.own_fd, group.fd, wanted);
	group.oom_events |= (group.controllers & CGROUP_MEMORY) != 0;
}

static unsigned probe(unsigned wanted)
{
	char path[MOUNT_PATH_SIZE];
	AUTOCLOSE int own = -1;

	if (find_folder(NULL, path) < 0)
		return 0;
	own = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return own >= 0 && faccessat(own, "cgroup.procs", W_OK, AT_EACCESS) == 0 ? cgroup_limits_possible(own, wanted)
										 : 0;
}

unsigned cgroup_can_limit(unsigned wanted)
{
	if (!group.initialised)
		return probe(wanted);
	enable(wanted);
	return group.available ? group.controllers & wanted : 0;
}

unsigned cgroup_limit(struct cgroup *c, const struct cgroup_limits *limits)
{
	unsigned wanted = cgroup_limits_wanted(limits), written;

	if (!(wanted | c->limited))
		return 0;
	enable(wanted);
	written = cgroup_limits_write(c->fd, limits, group.controllers & (wanted | c->limited));
	c->limited = (c->limited & ~written) | (wanted & written);
	return wanted & written;
}

void cgroup_disable(void)
{
	group.available = false;
}

bool cgroup_available(void)
{
	return group.available;
}

static void close_folder(struct cgroup *c)
{
	close_fd(take_fd(&c->fd));
	close_fd(take_fd(&c->events_fd));
}

static void free_list(struct cgroup *c)
{
	while (c) {
		struct cgroup *next = c->next;

		close_folder(c);
		free(c);
		c = next;
	}
}

static bool is_empty(int events_fd)
{
	char text[256];
	ssize_t len = events_fd >= 0 ? pread(events_fd, text, sizeof text - 1, 0) : -1;

	if (len <= 0)
		return false;
	text[len] = '\0';
	return strstr(text, "populated 0") != NULL;
}

/* The kernel tells of the last one's end; a process that does not die is not waited for. */
static void wait_until_empty(void)
{
	AUTOCLOSE int events = openat(group.fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	struct pollfd wait = { .fd = events, .events = POLLPRI };
	int64_t until = clock_now_ns() + SHUTDOWN_WAIT_MS * NS_PER_MS;

	while (events >= 0 && !is_empty(events) && clock_now_ns() < until)
		poll(&wait, 1, SHUTDOWN_WAIT_MS / 10);
}

void cgroup_shutdown(void)
{
	if (group.fd >= 0) {
		if (write_to(group.fd, "cgroup.kill", "1"))
			wait_until_empty();
		free_list(group.idle);
		free_list(group.lingering);
		remove_folder(group.own_fd, group.name, NULL);
	}
	if (group.asked)
		cgroup_limits_leave(group.own_fd);
	close_fd(group.fd);
	close_fd(group.own_fd);
	close_fd(group.oom_fd);
	memset(&group, 0, sizeof group);
	group.fd = group.own_fd = group.oom_fd = -1;
}

bool cgroup_is_empty(struct cgroup *c)
{
	if (c->events_fd < 0)
		c->events_fd = openat(c->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	return is_empty(c->events_fd);
}

int cgroup_fd(const struct cgroup *c)
{
	return c->fd;
}

static void name_of(const struct cgroup *c, char name[static NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%u", c->number);
}

/* Folders that members made are gone, so that the next tree starts from a plain one. */
static bool is_clean(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_nlink <= 2)
		return true;
	each_folder(fd, remove_folder, NULL);
	return fstat(fd, &st) == 0 && st.st_nlink <= 2;
}

static void discard(struct cgroup *c)
{
	char name[NAME_SIZE];

	name_of(c, name);
	unlinkat(group.fd, name, AT_REMOVEDIR);
	close_folder(c);
	free(c);
}

static void linger(struct cgroup *c)
{
	close_folder(c);
	c->next = NULL;
	*group.lingering_end = c;
	group.lingering_end = &c->next;
}

static struct cgroup *first_lingering(void)
{
	struct cgroup *c = group.lingering;

	if (c) {
		group.lingering = c->next;
		if (!group.lingering)
			group.lingering_end = &group.lingering;
	}
	return c;
}

/* One whose last member has ended meanwhile; the others go to the end of the line. */
static struct cgroup *take_lingering(void)
{
	char name[NAME_SIZE];

	for (int i = 0; i < LOOK_MAX; i++) {
		struct cgroup *c = first_lingering();

		if (!c)
			return NULL;
		name_of(c, name);
		c->fd = open_dir(group.fd, name);
		if (c->fd < 0 || !cgroup_is_empty(c) || !is_clean(c->fd))
			linger(c);
		else if (c->spent)
			discard(c);
		else
			return c;
	}
	return NULL;
}

static struct cgroup *make(void)
{
	struct cgroup *c = mem_new(struct cgroup);
	char name[NAME_SIZE];

	c->number = group.made++;
	c->events_fd = -1;
	name_of(c, name);
	c->fd = mkdirat(group.fd, name, 0755) == 0 ? open_dir(group.fd, name) : -1;
	if (c->fd >= 0)
		return c;
	unlinkat(group.fd, name, AT_REMOVEDIR);
	free(c);
	return NULL;
}

struct cgroup *cgroup_take(void)
{
	struct cgroup *c = group.idle;

	if (!group.available)
		return NULL;
	if (c) {
		group.idle = c->next;
		group.idle_count--;
		return c;
	}
	c = take_lingering();
	return c ? c : make();
}

void cgroup_give(struct cgroup *c)
{
	if (!c)
		return;
	if (group.fd < 0) {
		close_folder(c);
		free(c);
	} else if (!cgroup_is_empty(c) || !is_clean(c->fd)) {
		linger(c);
	} else if (group.idle_count < IDLE_MAX && !c->spent) {
		c->next = group.idle;
		group.idle = c;
		group.idle_count++;
	} else {
		discard(c);
	}
}

static void add_members(int fd, struct members *m)
{
	struct buf text CLEANUP(cleanup_buf);
	struct member one;

	read_whole(fd, "cgroup.procs", &text);
	if (buf_failed(&text))
		return;
	for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
		pid_t pid = (pid_t)strtol(line, NULL, 10);

		if (pid > 0 && member_recall(pid, &one) == 0 && one.state != 'Z' && one.state != 'X')
			members_add(m, &one);
	}
}

static void add_folder(int dir, const char *name, void *arg)
{
	AUTOCLOSE int fd = open_dir(dir, name);

	if (fd < 0)
		return;
	add_members(fd, arg);
	each_folder(fd, add_folder, arg);
}

void cgroup_members(const struct cgroup *c, struct members *m)
{
	char name[NAME_SIZE];

	m->count = 0;
	if (c) {
		add_members(c->fd, m);
		each_folder(c->fd, add_folder, m);
		return;
	}
	for (c = group.lingering; c; c = c->next) {
		name_of(c, name);
		add_folder(group.fd, name, m);
	}
}

/* The line "0::…/abx-1-2/3" of the process, or below that; any of the server's with NULL. */
static bool is_inside(const struct cgroup *c, pid_t pid)
{
	char path[NAME_SIZE], inside[2 * NAME_SIZE];
	struct buf text CLEANUP(cleanup_buf);
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
	read_whole(AT_FDCWD, path, &text);
	if (buf_failed(&text))
		return false;
	snprintf(inside, sizeof inside, "/%s/", group.name);
	if (c)
		snprintf(inside, sizeof inside, "/%s/%u", group.name, c->number);
	at = strstr(text.data, inside);
	return at && (!c || at[strlen(inside)] == '\n' || at[strlen(inside)] == '/');
}

int cgroup_signal(const struct cgroup *c, const struct member *one, int number)
{
	AUTOCLOSE int fd = -1;

	if (one->pid <= 1 || one->pid == getpid())
		return -EPERM;
	/* The descriptor is one process; if that is still there, what /proc says of the number is about it. */
	fd = (int)syscall(SYS_pidfd_open, one->pid, 0);
	if (fd < 0)
		return errno == ESRCH ? -ESRCH : member_signal(one, number);
	if (!is_inside(c, one->pid))
		return -ESRCH;
	return syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0 ? 0 : -errno;
}

void cgroup_set_kill(bool known)
{
	kill_unknown = !known;
}

bool cgroup_kill(struct cgroup *c)
{
	bool written = !kill_unknown && write_to(c->fd, "cgroup.kill", "1");

	c->spent |= written;
	return written;
}

void cgroup_freeze(const struct cgroup *c, bool frozen)
{
	write_to(c->fd, "cgroup.freeze", frozen ? "1" : "0");
}

uint64_t cgroup_oom_kills(const struct cgroup *c)
{
	AUTOCLOSE int tree_fd = c && group.oom_events ? openat(c->fd, "memory.events", O_RDONLY | O_CLOEXEC) : -1;
	int fd = c ? tree_fd : group.oom_fd;
	char text[512];
	ssize_t len = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
	const char *at;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	at = strstr(text, "oom_kill ");
	return at ? strtoull(at + strlen("oom_kill "), NULL, 10) : 0;
}
