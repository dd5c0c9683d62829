/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/modes.c.  Properties: output cut at any place leads to the same; what is
 * written of the modes brings a fresh terminal to the same modes, and any other one with `off`; leaving undoes all;
 * feeding until a place stops at the first one.
 */
#include "wire/modes.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(const struct modes *m, struct modes other, bool off)
{
	struct buf text;

	buf_init(&text, 4096);
	modes_write(m, off, &text);
	assert(!buf_failed(&text));
	modes_feed(&other, buf_str(&text));
	assert(modes_at_boundary(&other));
	assert(other.on == m->on);
	buf_free(&text);
}

/* Whatever was on or in the middle: afterwards it is a fresh terminal. */
static void check_left(struct modes m)
{
	struct buf text;

	buf_init(&text, 4096);
	modes_leave(&m, &text);
	modes_feed(&m, buf_str(&text));
	modes_feed(&m, STR("x"));
	assert(!buf_failed(&text) && modes_at_boundary(&m) && m.on == 0);
	buf_free(&text);
}

static void check_until(struct str bytes, bool line)
{
	struct modes until = { 0 }, plain = { 0 };
	bool found;
	size_t used;

	modes_feed(&until, (struct str){ bytes.p, bytes.len / 2 });
	plain = until;
	bytes = (struct str){ bytes.p + bytes.len / 2, bytes.len - bytes.len / 2 };
	used = modes_feed_until(&until, bytes, line, &found);
	assert(used <= bytes.len && (found || used == bytes.len));
	for (size_t i = 0; i < used; i++) {
		assert(!(modes_at_boundary(&plain) && (!line || plain.after_newline)));
		modes_feed(&plain, (struct str){ bytes.p + i, 1 });
	}
	assert(memcmp(&plain, &until, sizeof plain) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct modes whole = { 0 }, pieces = { 0 };
	size_t step = size ? data[0] % 7 + 1 : 1;

	modes_feed(&whole, bytes);
	for (size_t at = 0; at < size; at += step)
		modes_feed(&pieces, (struct str){ bytes.p + at, MIN(step, size - at) });
	assert(memcmp(&whole, &pieces, sizeof whole) == 0);
	assert(whole.fed == size && whole.boundary <= size);
	check_written(&whole, (struct modes){ 0 }, false);
	check_left(whole);
	modes_feed(&pieces, STR("\030\033[?1049;25;1002;2004h"));
	check_written(&whole, pieces, true);
	check_until(bytes, false);
	check_until(bytes, true);
	return 0;
}
