/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a journal as chunks of text or bytes (R21).
 *
 * A reading begins at an offset and takes what there is, up to a number of bytes.  A character
 * that its end cuts is left to the later reading, which begins with it.  Where the other stream
 * wrote in the middle of that character, the reading ends in front of it; if nothing at all
 * came before it, it takes more than it was asked for, up to 128 KiB, to find the rest.  What
 * is not there either, although nothing was written for a while, is given up as no character:
 * readers always get on.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "journal/journal.h"
#include "journal/text.h"

enum read_streams { READ_BOTH, READ_STDOUT, READ_STDERR };

struct chunk {
	enum journal_stream stream;
	uint64_t offset; /* of its first byte */
	uint64_t from;   /* the same, or of the character that goes on in it */
	uint64_t end;
	size_t at, len; /* in data; may be empty */
	bool lossy;
};

struct reading {
	struct buf data;   /* text, or bytes as they are */
	struct buf chunks; /* of struct chunk */
	uint64_t next;     /* where the later one begins */
	uint64_t dropped;  /* bytes between its beginning and the oldest one kept */
	bool eof;          /* nothing will ever come behind next */
	bool stuck;        /* there is more behind half a character whose rest may still come */
	bool failed;       /* memory is used up */
};

struct read_request {
	uint64_t since;
	size_t max;
	enum read_streams streams;
	bool as_text;
	bool settled; /* nothing was written for a while */
};

void reading_do(struct reading *r, struct journal *j, const struct read_request *what);
void reading_free(struct reading *r);

static inline size_t reading_count(const struct reading *r)
{
	return r->chunks.len / sizeof(struct chunk);
}

static inline const struct chunk *reading_chunk(const struct reading *r, size_t i)
{
	return (const struct chunk *)r->chunks.data + i;
}

/* How many bytes at the front go on with a character whose beginning is not there (0 to 3). */
size_t reading_cut_head(struct str bytes);

static inline bool reading_wants(enum read_streams streams, enum journal_stream stream)
{
	return streams == READ_BOTH || (streams == READ_STDOUT) == (stream == JOURNAL_STDOUT);
}
