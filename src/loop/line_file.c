/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/line_file.h"

#include "base/clock.h"
#include "loop/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TAIL_MAX = 64,     /* the count of lost lines, and the end */
	SLOW_WAIT_MS = 100 /* for a pipe whose reader is behind */
};

/* A line, or with fd >= -1 where those behind it go. */
struct entry {
	struct entry *next;
	int fd;
	size_t len;
	char text[];
};

enum { IS_LINE = -2 };

struct line_file {
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows, up to the figures */
	pthread_cond_t more, done;
	struct entry *first, **last;
	size_t waiting, limit;
	bool stops, ended, abandoned;
	struct line_file_figures figures;
	uint64_t untold; /* lost since a line told of it */

	int fd; /* the thread's, as is what follows */
	bool torn;
};

int line_file_open(const char *path)
{
	const int flags = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = open(path, O_WRONLY | flags, 0600);

	/* Of a pipe without a reader we are one ourselves: it fills up, and nothing worse. */
	if (fd < 0 && errno == ENXIO)
		fd = open(path, O_RDWR | flags, 0600);
	return fd >= 0 ? fd : -errno;
}

static int try_folder(const char *path)
{
	const char *name = strrchr(path, '/');
	AUTOFREE char *folder = name ? mem_strdup(path) : NULL;

	if (!name)
		return faccessat(AT_FDCWD, ".", W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
	if (!name[1])
		return -EISDIR;
	folder[name + 1 - path] = '\0';
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int line_file_try(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? try_folder(path) : -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

static ssize_t write_once(int fd, const char *text, size_t len)
{
	ssize_t got;

	do
		got = write(fd, text, len);
	while (got < 0 && errno == EINTR);
	return got;
}

/* 0 or an errno.  A reader of a pipe who is behind is waited for, unless it was so the last time already. */
static int write_whole(struct line_file *f, const char *text, size_t len, bool is_failing)
{
	struct pollfd slow = { .fd = f->fd, .events = POLLOUT };
	ssize_t got = write_once(f->fd, text, len);

	if (got < 0 && errno == EAGAIN && !is_failing && poll(&slow, 1, SLOW_WAIT_MS) > 0)
		got = write_once(f->fd, text, len);
	if (got == (ssize_t)len)
		return 0;
	f->torn |= got > 0;
	return got < 0 ? errno : ENOSPC;
}

static void lose(struct line_file *f, int number)
{
	f->figures.lost++;
	f->untold++;
	f->figures.number = number;
}

static void write_line(struct line_file *f, const struct entry *e)
{
	char text[LINE_FILE_LINE_MAX + TAIL_MAX];
	size_t len = 0;
	bool is_failing, was_torn = f->torn;
	uint64_t told;
	int number;

	pthread_mutex_lock(&f->lock);
	told = f->untold;
	is_failing = f->figures.number != 0;
	pthread_mutex_unlock(&f->lock);
	if (was_torn)
		text[len++] = '\n';
	memcpy(text + len, e->text, e->len);
	len += e->len;
	if (told)
		len += (size_t)snprintf(text + len, sizeof text - len, ",\"lost\":%llu", (unsigned long long)told);
	len += (size_t)snprintf(text + len, sizeof text - len, "}\n");
	number = write_whole(f, text, len, is_failing);
	pthread_mutex_lock(&f->lock);
	if (number) {
		lose(f, number);
	} else {
		f->torn = false;
		f->figures.written++;
		f->figures.number = 0;
		f->untold -= told;
	}
	pthread_mutex_unlock(&f->lock);
}

static void handle(struct line_file *f, struct entry *e)
{
	if (e->fd == IS_LINE) {
		write_line(f, e);
	} else {
		close_fd(f->fd);
		f->fd = e->fd;
		f->torn = false;
	}
	free(e);
}

/* The next of the queue, which it waits for; NULL: it is time to stop. */
static struct entry *take(struct line_file *f)
{
	struct entry *e;

	pthread_mutex_lock(&f->lock);
	while (!f->first && !f->stops)
		pthread_cond_wait(&f->more, &f->lock);
	e = f->abandoned ? NULL : f->first;
	if (e) {
		f->first = e->next;
		f->last = f->first ? f->last : &f->first;
		f->waiting -= e->len;
	}
	pthread_mutex_unlock(&f->lock);
	return e;
}

static void *run(void *arg)
{
	struct line_file *f = arg;
	struct entry *e;

	while ((e = take(f)))
		handle(f, e);
	pthread_mutex_lock(&f->lock);
	f->ended = true;
	pthread_cond_signal(&f->done);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

struct line_file *line_file_new(int fd, size_t limit)
{
	struct line_file *f = mem_new(struct line_file);
	pthread_condattr_t monotonic;
	sigset_t before;

	f->fd = fd;
	f->limit = limit;
	f->last = &f->first;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->more, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&f->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	signal_hold_all(&before);
	if (pthread_create(&f->thread, NULL, run, f) != 0)
		abort(); /* at the start, before there is anything to lose */
	signal_let_go(&before);
	return f;
}

static void append(struct line_file *f, int fd, struct str text)
{
	struct entry *e = mem_alloc(sizeof *e + text.len);

	e->fd = fd;
	e->len = text.len;
	if (text.len)
		memcpy(e->text, text.p, text.len);
	*f->last = e;
	f->last = &e->next;
	f->waiting += e->len;
	pthread_cond_signal(&f->more);
}

void line_file_put(struct line_file *f, struct str line)
{
	pthread_mutex_lock(&f->lock);
	if (line.len > LINE_FILE_LINE_MAX || f->waiting + line.len > f->limit)
		lose(f, ENOBUFS);
	else
		append(f, IS_LINE, line);
	pthread_mutex_unlock(&f->lock);
}

void line_file_switch(struct line_file *f, int fd)
{
	pthread_mutex_lock(&f->lock);
	append(f, fd, (struct str){ NULL, 0 });
	pthread_mutex_unlock(&f->lock);
}

struct line_file_figures line_file_figures(struct line_file *f)
{
	struct line_file_figures figures;

	pthread_mutex_lock(&f->lock);
	figures = f->figures;
	pthread_mutex_unlock(&f->lock);
	return figures;
}

/* Whether the thread has ended; one that hangs in a write is given up with what it holds. */
static bool wait_for_end(struct line_file *f, int64_t wait_ns)
{
	int64_t until_ns = clock_now_ns() + wait_ns;
	struct timespec until = { until_ns / NS_PER_S, until_ns % NS_PER_S };
	bool ended;

	pthread_mutex_lock(&f->lock);
	f->stops = true;
	pthread_cond_signal(&f->more);
	while (!f->ended && pthread_cond_timedwait(&f->done, &f->lock, &until) == 0)
		continue;
	ended = f->ended;
	f->abandoned = true;
	pthread_mutex_unlock(&f->lock);
	return ended;
}

void line_file_free(struct line_file *f, int64_t wait_ns)
{
	if (!f)
		return;
	if (!wait_for_end(f, wait_ns)) {
		pthread_detach(f->thread);
		return;
	}
	pthread_join(f->thread, NULL);
	close_fd(f->fd);
	pthread_cond_destroy(&f->done);
	pthread_cond_destroy(&f->more);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
