/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/term.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REDRAW_MS = 100, NAME_WIDTH = 40, ESCAPED_MAX = 64 * 1024 };

static bool line_is_drawn;

bool term_is_out(void)
{
	return isatty(STDOUT_FILENO);
}

bool term_is_err(void)
{
	return isatty(STDERR_FILENO);
}

bool term_has_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return term_is_out() && !(no && *no);
}

/* Length of the character at the front that may be shown as it is, 0 when it must not. */
static size_t harmless_len(struct str text)
{
	unsigned char c = (unsigned char)text.p[0];
	size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	if (c < 0x20 || c == 0x7f || len > text.len || !utf8_valid((struct str){ text.p, len }))
		return 0;
	/* C1 controls: some terminals obey them. */
	if (c == 0xc2 && (unsigned char)text.p[1] < 0xa0)
		return 0;
	return len;
}

void term_escape(struct buf *to, struct str text)
{
	while (text.len) {
		size_t len = harmless_len(text);

		if (len) {
			buf_add(to, text.p, len);
		} else {
			buf_addf(to, "\\x%02x", (unsigned char)text.p[0]);
			len = 1;
		}
		text.p += len;
		text.len -= len;
	}
}

void term_print(struct str text)
{
	AUTOBUF struct buf escaped;

	buf_init(&escaped, ESCAPED_MAX);
	if (term_is_out()) {
		term_escape(&escaped, text);
		text = buf_str(&escaped);
	}
	if (text.len)
		fwrite(text.p, 1, text.len, stdout);
}

char *term_size(uint64_t bytes, char text[static TERM_SIZE_TEXT])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < ARRAY_LEN(units)) {
		value /= 1024;
		unit++;
	}
	snprintf(text, TERM_SIZE_TEXT, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

void term_progress_start(struct progress *p, const char *name, uint64_t total, bool quiet)
{
	*p = (struct progress){ .name = name, .total = total, .on = !quiet && term_is_err() };
	p->started_ns = p->drawn_ns = p->on ? clock_now_ns() : 0;
}

static void draw(struct progress *p, int64_t now_ns)
{
	char done[TERM_SIZE_TEXT], rate[TERM_SIZE_TEXT], share[8] = "";
	double seconds = (double)(now_ns - p->started_ns) / (double)NS_PER_S;
	AUTOBUF struct buf name;

	buf_init(&name, ESCAPED_MAX);
	term_escape(&name, str_of(p->name));
	if (p->total)
		snprintf(share, sizeof share, "%3u%% ", (unsigned)(MIN(p->done, p->total) * 100.0 / (double)p->total));
	fprintf(stderr, "\r\033[K%.*s  %s%s  %s/s", NAME_WIDTH, name.data ? name.data : "", share,
		term_size(p->done, done), term_size(seconds > 0 ? (uint64_t)((double)p->done / seconds) : 0, rate));
	p->drawn_ns = now_ns;
	line_is_drawn = true;
}

void term_progress_add(struct progress *p, size_t bytes)
{
	int64_t now;

	p->done += bytes;
	if (!p->on)
		return;
	now = clock_now_ns();
	if (now - p->drawn_ns >= REDRAW_MS * NS_PER_MS)
		draw(p, now);
}

void term_progress_end(struct progress *p)
{
	if (p->on)
		term_progress_clear();
}

void term_progress_clear(void)
{
	if (line_is_drawn)
		fputs("\r\033[K", stderr);
	line_is_drawn = false;
}
