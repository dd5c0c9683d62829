/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/notify.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_SIZE = 64 * 1024, FIRST_BUCKETS = 64 };

static const uint32_t wanted = IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO |
			       IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

/* One watch of the kernel, and who wants to hear of it. */
struct entry {
	struct entry *next;
	int wd;
	struct list_node marks;
};

/* The lock is held for a few instructions and one quick system call at a time. */
static struct {
	pthread_mutex_t lock;
	struct watch watch;
	int fd;
	struct list_node users;
	struct entry **buckets;
	size_t bucket_count, count;
} notify = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static struct entry **bucket(int wd)
{
	return &notify.buckets[(size_t)wd & (notify.bucket_count - 1)];
}

static struct entry **find(int wd)
{
	struct entry **at;

	if (!notify.bucket_count)
		return NULL;
	for (at = bucket(wd); *at; at = &(*at)->next) {
		if ((*at)->wd == wd)
			return at;
	}
	return NULL;
}

static void grow(void)
{
	struct entry **old = notify.buckets;
	size_t old_count = notify.bucket_count;

	notify.bucket_count = old_count ? old_count * 2 : FIRST_BUCKETS;
	notify.buckets = mem_alloc(notify.bucket_count * sizeof *old);
	for (size_t i = 0; i < old_count; i++) {
		for (struct entry *e = old[i], *next; e; e = next) {
			struct entry **at = bucket(e->wd);

			next = e->next;
			e->next = *at;
			*at = e;
		}
	}
	free(old);
}

static struct entry *new_entry(int wd)
{
	struct entry *e = mem_new(struct entry), **at;

	if (notify.count >= notify.bucket_count)
		grow();
	at = bucket(wd);
	*e = (struct entry){ .next = *at, .wd = wd };
	list_init(&e->marks);
	*at = e;
	notify.count++;
	return e;
}

static void forget(struct entry **at)
{
	struct entry *e = *at;

	LIST_EACH(n, &e->marks)
	{
		OWNER(n, struct notify_mark, node)->wd = -1;
		list_remove(n);
	}
	*at = e->next;
	free(e);
	notify.count--;
}

static void overflow(void)
{
	LIST_EACH(n, &notify.users)
	{
		struct notify_user *user = OWNER(n, struct notify_user, node);

		user->on_overflow(user);
	}
}

static void dispatch(const struct inotify_event *event)
{
	struct entry **at = find(event->wd);

	if (event->mask & IN_Q_OVERFLOW)
		overflow();
	if (!at)
		return;
	LIST_EACH(n, &(*at)->marks)
	{
		struct notify_mark *mark = OWNER(n, struct notify_mark, node);

		mark->user->on_event(mark->user, mark, event);
	}
	if (event->mask & IN_IGNORED)
		forget(at);
}

static void on_readable(struct watch *w, unsigned events)
{
	_Alignas(struct inotify_event) char bytes[READ_SIZE];
	ssize_t len = read(notify.fd, bytes, sizeof bytes);

	(void)w;
	(void)events;
	pthread_mutex_lock(&notify.lock);
	for (ssize_t at = 0; at < len;) {
		const struct inotify_event *event = (const struct inotify_event *)(bytes + at);

		dispatch(event);
		at += (ssize_t)(sizeof *event + event->len);
	}
	pthread_mutex_unlock(&notify.lock);
}

static int open_instance(struct loop *loop)
{
	int status;

	notify.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (notify.fd < 0)
		return -errno;
	status = watch_start(&notify.watch, loop, notify.fd, WATCH_READ, on_readable);
	if (status < 0) {
		close_fd(notify.fd);
		notify.fd = -1;
		return status;
	}
	list_init(&notify.users);
	return 0;
}

int notify_join(struct notify_user *user, struct loop *loop)
{
	int status = notify.fd < 0 ? open_instance(loop) : 0;

	if (status == 0)
		list_append(&notify.users, &user->node);
	return status;
}

void notify_leave(struct notify_user *user)
{
	list_remove(&user->node);
	if (!list_is_empty(&notify.users))
		return;
	watch_stop(&notify.watch);
	close_fd(notify.fd);
	notify.fd = -1;
	free(take_ptr(notify.buckets));
	notify.bucket_count = 0;
}

static int add(struct notify_user *user, struct notify_mark *mark, const char *path, uint32_t mask)
{
	int wd = inotify_add_watch(notify.fd, path, mask);
	struct entry **at, *e;

	if (wd < 0)
		return -errno;
	at = find(wd);
	e = at ? *at : new_entry(wd);
	*mark = (struct notify_mark){ .user = user, .wd = wd };
	list_append(&e->marks, &mark->node);
	return 0;
}

/* The folder behind the descriptor, whatever its name leads to by now. */
static int add_fd(struct notify_user *user, struct notify_mark *mark, int fd, uint32_t mask)
{
	char path[32];
	int status;

	list_init(&mark->node);
	mark->wd = -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	pthread_mutex_lock(&notify.lock);
	status = add(user, mark, path, mask);
	pthread_mutex_unlock(&notify.lock);
	return status;
}

int notify_add(struct notify_user *user, struct notify_mark *mark, int fd)
{
	return add_fd(user, mark, fd, wanted);
}

int notify_add_self(struct notify_user *user, struct notify_mark *mark, int fd)
{
	return add_fd(user, mark, fd, IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD);
}

void notify_drop(struct notify_mark *mark)
{
	struct entry **at;

	pthread_mutex_lock(&notify.lock);
	at = mark->wd >= 0 ? find(mark->wd) : NULL;
	if (at) {
		list_remove(&mark->node);
		if (list_is_empty(&(*at)->marks)) {
			inotify_rm_watch(notify.fd, mark->wd);
			forget(at);
		}
	}
	mark->wd = -1;
	pthread_mutex_unlock(&notify.lock);
}

size_t notify_count(void)
{
	return notify.count;
}
