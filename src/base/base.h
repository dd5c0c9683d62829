/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C should have had: ownership of locals, sizes of arrays, the object around a
 * member.  Included by every file of the project through its own header.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The object of type `type` whose member `member` is at `ptr`. */
#define OWNER(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define AUTOFREE CLEANUP(cleanup_free)
#define AUTOCLOSE CLEANUP(cleanup_close)
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Zeroed memory whose size no client chooses; the process ends when there is none. */
void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull));
#define mem_new(type) ((type *)mem_alloc(sizeof(type)))
char *mem_strdup(const char *text) __attribute__((returns_nonnull));

/* Gives a local away: returns the value and leaves nothing for the cleaner. */
#define take_ptr(p) \
	({ \
		__typeof__(p) taken_ = (p); \
		(p) = NULL; \
		taken_; \
	})
int take_fd(int *fd);

/* Closes a descriptor that is >= 0; errno stays as it was. */
void close_fd(int fd);

void cleanup_free(void *p);
void cleanup_close(int *fd);
