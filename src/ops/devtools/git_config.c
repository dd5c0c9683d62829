/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/devtools/git_config.h"

#include <ctype.h>
#include <errno.h>

enum { NAME_MAX_BYTES = 256, VALUE_MAX_BYTES = 4096 };

/* None of them can name a program or a file to be read. */
static const struct {
	const char *section;
	bool is_named;
	const char *key;
} allowed[] = {
	{ "core", false, "repositoryformatversion" },
	{ "core", false, "filemode" },
	{ "core", false, "symlinks" },
	{ "core", false, "ignorecase" },
	{ "core", false, "precomposeunicode" },
	{ "core", false, "autocrlf" },
	{ "core", false, "eol" },
	{ "core", false, "quotepath" },
	{ "core", false, "sparsecheckout" },
	{ "core", false, "sparsecheckoutcone" },
	{ "index", false, "sparse" },
	{ "extensions", false, "objectformat" },
	{ "extensions", false, "refstorage" },
	{ "branch", true, "remote" },
	{ "branch", true, "merge" },
	{ "remote", true, "fetch" },
	{ "submodule", true, "ignore" },
};

struct reader {
	struct str rest;
	char section[NAME_MAX_BYTES], name[NAME_MAX_BYTES], key[NAME_MAX_BYTES], value[VALUE_MAX_BYTES];
	size_t value_len, kept_len; /* with and without blanks at the end */
	bool is_named, fits, has_value;
};

static int peek(const struct reader *r)
{
	return r->rest.len ? (unsigned char)r->rest.p[0] : -1;
}

/* A carriage return before a line feed is none. */
static int next(struct reader *r)
{
	int c = peek(r);

	if (c < 0)
		return c;
	r->rest.p++;
	r->rest.len--;
	if (c == '\r' && peek(r) == '\n')
		return next(r);
	return c;
}

static void skip_line(struct reader *r)
{
	int c;

	while ((c = next(r)) >= 0 && c != '\n')
		;
}

static bool put(char *to, size_t size, size_t *len, int c)
{
	if (*len + 1 >= size)
		return false;
	to[(*len)++] = (char)c;
	to[*len] = '\0';
	return true;
}

/* "name"] */
static int read_quoted_name(struct reader *r)
{
	size_t len = 0;
	int c;

	r->is_named = true;
	r->name[0] = '\0';
	while ((c = next(r)) != '"') {
		if (c == '\\')
			c = next(r);
		if (c < 0 || c == '\n' || c == '\0')
			return -EINVAL;
		if (!put(r->name, sizeof r->name, &len, c))
			r->fits = false;
	}
	return next(r) == ']' ? 0 : -EINVAL;
}

/* [section], [section "name"] or [section.name] */
static int read_section(struct reader *r)
{
	size_t len = 0, name_len = 0;
	int c;

	r->section[0] = r->name[0] = '\0';
	r->is_named = false;
	r->fits = true;
	while ((c = next(r)) != ']') {
		if (c == ' ' || c == '\t') {
			while (c == ' ' || c == '\t')
				c = next(r);
			return c == '"' ? read_quoted_name(r) : -EINVAL;
		}
		if (c == '.' && !r->is_named) {
			r->is_named = true;
			continue;
		}
		if (c < 0 || !(isalnum(c) || c == '-' || c == '.'))
			return -EINVAL;
		c = tolower(c);
		if (!(r->is_named ? put(r->name, sizeof r->name, &name_len, c)
				  : put(r->section, sizeof r->section, &len, c)))
			r->fits = false;
	}
	return 0;
}

static void keep(struct reader *r, int c, bool is_blank)
{
	if (!put(r->value, sizeof r->value, &r->value_len, c))
		r->fits = false;
	if (!is_blank)
		r->kept_len = r->value_len;
}

/* What stands behind a backslash; 0 for a line that goes on, or -EINVAL. */
static int read_escape(struct reader *r)
{
	static const char names[] = "nt\"\\b", meanings[] = "\n\t\"\\\b";
	int c = next(r);
	const char *at = c > 0 ? strchr(names, c) : NULL;

	if (c == '\n')
		return 0;
	if (!at)
		return -EINVAL;
	keep(r, meanings[at - names], false);
	return 0;
}

static int read_value(struct reader *r)
{
	bool quoted = false;
	int c;

	while (peek(r) == ' ' || peek(r) == '\t')
		next(r);
	for (;;) {
		c = next(r);
		if (c < 0 || c == '\n')
			break;
		if (c == '\0')
			return -EINVAL;
		if (c == '\\' && read_escape(r) < 0)
			return -EINVAL;
		if (c == '\\')
			continue;
		if (c == '"') {
			quoted = !quoted;
			r->kept_len = r->value_len;
			continue;
		}
		if (!quoted && (c == '#' || c == ';')) {
			skip_line(r);
			break;
		}
		keep(r, c, !quoted && (c == ' ' || c == '\t'));
	}
	r->value[r->kept_len] = '\0';
	return quoted ? -EINVAL : 0;
}

/* key = value, or a key alone, which means true */
static int read_variable(struct reader *r, int first)
{
	size_t len = 0;
	int c = first;

	r->value_len = r->kept_len = 0;
	r->value[0] = '\0';
	while (isalnum(c) || c == '-') {
		if (!put(r->key, sizeof r->key, &len, tolower(c)))
			r->fits = false;
		c = peek(r);
		if (isalnum(c) || c == '-')
			next(r);
	}
	r->has_value = false;
	while ((c = peek(r)) == ' ' || c == '\t')
		next(r);
	c = next(r);
	if (c == '=') {
		r->has_value = true;
		return read_value(r);
	}
	if (c == '#' || c == ';')
		skip_line(r);
	else if (c >= 0 && c != '\n')
		return -EINVAL;
	return 0;
}

static bool is_allowed(const struct reader *r)
{
	for (size_t i = 0; i < ARRAY_LEN(allowed) && r->fits; i++) {
		if (strcmp(r->section, allowed[i].section) == 0 && r->is_named == allowed[i].is_named &&
			strcmp(r->key, allowed[i].key) == 0)
			/* Another value of this one may be a path. */
			return strcmp(r->key, "refstorage") != 0 || strcmp(r->value, "reftable") == 0;
	}
	return false;
}

static void write_quoted(struct buf *to, const char *text, bool is_value)
{
	buf_addc(to, '"');
	for (; *text; text++) {
		if (is_value && *text == '\n') {
			buf_adds(to, "\\n");
			continue;
		}
		if (*text == '"' || *text == '\\')
			buf_addc(to, '\\');
		buf_addc(to, *text);
	}
	buf_addc(to, '"');
}

static void write_variable(const struct reader *r, struct buf *to)
{
	buf_addf(to, "[%s", r->section);
	if (r->is_named) {
		buf_addc(to, ' ');
		write_quoted(to, r->name, false);
	}
	buf_addf(to, "]\n\t%s", r->key);
	if (r->has_value) {
		buf_adds(to, " = ");
		write_quoted(to, r->value, true);
	}
	buf_addc(to, '\n');
}

int git_config_filter(struct str text, struct buf *to)
{
	struct reader r = { .rest = text };
	int c;

	if (str_starts(r.rest, "\xef\xbb\xbf")) {
		r.rest.p += 3;
		r.rest.len -= 3;
	}
	while ((c = next(&r)) >= 0) {
		bool section_fits = r.fits;

		if (isspace(c))
			continue;
		if (c == '#' || c == ';') {
			skip_line(&r);
			continue;
		}
		if (c == '[') {
			if (read_section(&r) < 0)
				return -EINVAL;
			continue;
		}
		if (!isalpha(c) || !r.section[0] || read_variable(&r, c) < 0)
			return -EINVAL;
		if (is_allowed(&r))
			write_variable(&r, to);
		r.fits = section_fits;
	}
	return 0;
}
