/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/mask.h"

#include <ctype.h>
#include <strings.h>

static const char MASK[] = "***";

/* Parts of names that speak of a secret, and whole last parts of such names. */
static const char *const parts[] = { "token", "secret", "passw", "passphrase", "apikey", "authorization", "credential",
	"cookie" };
static const char *const ends[] = { "key", "pwd", "auth", "pass", "pat" };

/* How the keys of well-known services begin. */
static const char *const key_starts[] = { "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "sk-",
	"xoxa-", "xoxb-", "xoxp-", "xoxs-", "AKIA", "ASIA", "AIza", "eyJ", "npm_", "pypi-" };
enum { KEY_LEAST = 16 };

/*
 * Programs that take a password behind a letter, which is something else to most others; a star stands for the rest of a
 * name.  "login" is what several programs have behind their own name.
 */
static const struct mask_program {
	const char *name, *option;
	bool is_next; /* the next word, too; else only what is joined to the letter */
	bool is_pair; /* of it what stands behind a ':' */
} programs[] = {
	{ "mysql*", "-p", false, false },
	{ "mariadb*", "-p", false, false },
	{ "mongo*", "-p", true, false },
	{ "sshpass", "-p", true, false },
	{ "login", "-p", true, false },
	{ "redis-cli", "-a", true, false },
	{ "ldap*", "-w", true, false },
	{ "curl", "-u", true, true },
};

/* What is left of the text, and what is to be masked next. */
struct masker {
	struct buf *to;
	struct str rest;
	const char *begin;
	char quote;        /* that the rest is in, or NUL */
	bool wants_secret; /* the next word is one */
	bool wants_pair;   /* of the next word what stands behind a ':' */
	const struct mask_program *program;
	char program_quote; /* where its name stood */
	bool is_argument;   /* the text is one of the program's arguments, and nothing ends it */
};

void mask_value(struct buf *text, struct str secret)
{
	struct str rest = buf_str(text);
	AUTOBUF struct buf masked;
	const char *found;

	buf_init(&masked, text->limit);
	if (!secret.len || !rest.len || !memmem(rest.p, rest.len, secret.p, secret.len))
		return;
	while (rest.len >= secret.len && (found = memmem(rest.p, rest.len, secret.p, secret.len))) {
		buf_add(&masked, rest.p, (size_t)(found - rest.p));
		buf_adds(&masked, MASK);
		rest.len -= (size_t)(found - rest.p) + secret.len;
		rest.p = found + secret.len;
	}
	buf_add(&masked, rest.p, rest.len);
	buf_truncate(text, 0);
	if (!buf_failed(&masked))
		buf_add(text, masked.data, masked.len);
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool holds_nocase(struct str name, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= name.len; i++) {
		if (strncasecmp(name.p + i, part, len) == 0)
			return true;
	}
	return false;
}

/* "key" of "API_KEY" and of "key", not of "monkey". */
static bool ends_nocase(struct str name, const char *end)
{
	size_t len = strlen(end);

	if (name.len < len || strncasecmp(name.p + name.len - len, end, len) != 0)
		return false;
	return name.len == len || !isalnum((unsigned char)name.p[name.len - len - 1]);
}

static bool is_secret_name(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (holds_nocase(name, parts[i]))
			return true;
	}
	/* PWD itself is the working directory. */
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (ends_nocase(name, ends[i]) && !str_is_nocase(name, "pwd"))
			return true;
	}
	return false;
}

static void take(struct masker *m, size_t len)
{
	buf_add(m->to, m->rest.p, len);
	m->rest.p += len;
	m->rest.len -= len;
}

static void hide(struct masker *m, size_t len)
{
	if (len)
		buf_adds(m->to, MASK);
	m->rest.p += len;
	m->rest.len -= len;
}

static size_t blanks(struct str text)
{
	size_t len = 0;

	while (len < text.len && is_blank(text.p[len]))
		len++;
	return len;
}

/* A word as a shell would take it, about: to the quote that it began with, or to what ends a bare one. */
static size_t word_len(struct str text, bool to_line_end)
{
	char quote = text.len && (text.p[0] == '"' || text.p[0] == '\'') ? text.p[0] : '\0';
	size_t len = quote ? 1 : 0;

	for (; len < text.len; len++) {
		char c = text.p[len];

		if (c == '\\' && quote != '\'' && len + 1 < text.len)
			len++;
		else if (quote ? c == quote : c == '\n' || (c != ' ' && strchr("\"'", c)))
			return len + (quote ? 1 : 0);
		else if (!quote && !to_line_end && (is_blank(c) || strchr("&;|<>)", c)))
			return len;
	}
	return len;
}

/* Whether a quoted word goes on: 'it'"'"'s' and 'it'\\''s' are one. */
static bool goes_on(struct str text)
{
	char c = text.len ? text.p[0] : ' ', next = text.len > 1 ? text.p[1] : ' ';

	if (c != '"' && c != '\'')
		return c == '\\' || is_name_char(c);
	return is_name_char(next) || next == '"' || next == '\'';
}

/* A word, and when it begins with a quote all that a shell would put together with it. */
static size_t value_len(struct str text, bool to_line_end)
{
	size_t len = word_len(text, to_line_end);

	if (!text.len || (text.p[0] != '"' && text.p[0] != '\''))
		return len;
	while (goes_on((struct str){ text.p + len, text.len - len }))
		len += word_len((struct str){ text.p + len, text.len - len }, false);
	return len;
}

/* Past what stands between a name and its value; 0 when no value follows. */
static size_t separator_len(struct str text)
{
	size_t len = 0;

	if (len < text.len && (text.p[len] == '"' || text.p[len] == '\''))
		len++;
	len += blanks((struct str){ text.p + len, text.len - len });
	if (len == text.len || (text.p[len] != '=' && text.p[len] != ':'))
		return 0;
	len++;
	return len + blanks((struct str){ text.p + len, text.len - len });
}

static bool starts_as_key(struct str word)
{
	for (size_t i = 0; i < ARRAY_LEN(key_starts); i++) {
		if (word.len >= KEY_LEAST && str_starts(word, key_starts[i]))
			return true;
	}
	return false;
}

/* In front of a host: the credentials up to the last '@' before what ends the authority. */
static size_t userinfo_len(struct str text)
{
	size_t found = 0;

	for (size_t i = 0; i < text.len && !is_blank(text.p[i]) && !strchr("/?#\"'", text.p[i]); i++) {
		if (text.p[i] == '@')
			found = i;
	}
	return found;
}

static bool is_header_name(struct str name)
{
	return holds_nocase(name, "authorization") || holds_nocase(name, "cookie");
}

/* What the name makes of what comes behind it. */
static void after_name(struct masker *m, struct str name)
{
	size_t separator = separator_len(m->rest);
	bool is_secret = is_secret_name(name), is_option = name.p[0] == '-';

	if (is_secret && separator) {
		take(m, separator);
		m->wants_secret = m->rest.len == 0;
		hide(m, value_len(m->rest, is_header_name(name)));
	} else if ((is_secret && is_option) || str_is_nocase(name, "bearer") || str_is_nocase(name, "basic")) {
		m->wants_secret = m->rest.len == 0 || is_blank(m->rest.p[0]);
	} else if (str_is(name, "-u") || str_is(name, "--user") || str_is(name, "--proxy-user")) {
		m->wants_pair = true;
		take(m, str_starts(m->rest, "=") ? 1 : 0);
	}
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool begins_word(const struct masker *m)
{
	return m->rest.p == m->begin || is_blank(m->rest.p[-1]) || is_quote(m->rest.p[-1]);
}

static bool ends_word(struct str rest)
{
	return !rest.len || is_blank(rest.p[0]) || is_quote(rest.p[0]);
}

/* As a word of its own, behind what ends a command, or as the last part of a path: not every folder of this name. */
static bool begins_program(const struct masker *m)
{
	static const char folder[] = "bin/";
	const size_t len = sizeof folder - 1;

	if (begins_word(m) || strchr(";|&(`", m->rest.p[-1]))
		return true;
	return (size_t)(m->rest.p - m->begin) >= len && memcmp(m->rest.p - len, folder, len) == 0;
}

static bool is_named(struct str name, const char *pattern)
{
	size_t len = strcspn(pattern, "*");

	return pattern[len] ? name.len >= len && memcmp(name.p, pattern, len) == 0 : str_is(name, pattern);
}

/* Which program the rest begins with, if it is one of those. */
static void notice_program(struct masker *m, struct str name)
{
	if (!ends_word((struct str){ m->rest.p + name.len, m->rest.len - name.len }) || !begins_program(m))
		return;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		if (is_named(name, programs[i].name)) {
			m->program = &programs[i];
			m->program_quote = m->quote;
		}
	}
}

/* The option behind which this program has a password: what is joined to it goes, or the next word. */
static bool take_option(struct masker *m)
{
	size_t len = m->program ? strlen(m->program->option) : 0;
	const char *colon;

	if (!len || !begins_word(m) || !str_starts(m->rest, m->program->option))
		return false;
	take(m, len);
	if (!m->rest.len || is_blank(m->rest.p[0])) {
		m->wants_secret = m->program->is_next && !m->program->is_pair;
		m->wants_pair = m->program->is_next && m->program->is_pair;
		return true;
	}
	len = m->is_argument ? m->rest.len : value_len(m->rest, false);
	colon = m->program->is_pair ? memchr(m->rest.p, ':', len) : NULL;
	if (m->program->is_pair && !colon) {
		take(m, len);
		return true;
	}
	if (colon) {
		size_t user = (size_t)(colon - m->rest.p) + 1;

		take(m, user);
		len -= user;
	}
	hide(m, len);
	return true;
}

/* One byte that is no part of a name: it may begin or end a quote, or a command. */
static void take_other(struct masker *m)
{
	char c = m->rest.p[0];

	if (is_quote(c) && (!m->quote || m->quote == c))
		m->quote = m->quote ? '\0' : c;
	else if (!m->is_argument && m->quote == m->program_quote && strchr(";|&)`", c))
		m->program = NULL;
	take(m, 1);
}

static void next_name(struct masker *m)
{
	struct str name = m->rest;

	for (name.len = 0; name.len < m->rest.len && is_name_char(m->rest.p[name.len]);)
		name.len++;
	if (str_starts(m->rest, "-----BEGIN") && memmem(m->rest.p, m->rest.len, "PRIVATE KEY", 11)) {
		hide(m, m->rest.len);
	} else if (starts_as_key(name)) {
		hide(m, word_len(m->rest, false));
	} else if (!take_option(m)) {
		notice_program(m, name);
		take(m, name.len);
		after_name(m, name);
	}
}

static void next_wanted(struct masker *m)
{
	size_t len = value_len(m->rest, false);
	const char *colon = memchr(m->rest.p, ':', len);
	size_t user = colon ? (size_t)(colon - m->rest.p) + 1 : len;

	if (!m->wants_secret)
		take(m, user);
	hide(m, m->wants_secret ? len : len - user);
	m->wants_secret = m->wants_pair = false;
}

/* What the one before asked for is this whole argument, blanks and all. */
static void take_carried(struct masker *m, const struct mask_carry *carry)
{
	const char *colon = carry->pair ? memchr(m->rest.p, ':', m->rest.len) : NULL;

	if (colon)
		take(m, (size_t)(colon - m->rest.p) + 1);
	if (carry->secret || colon)
		hide(m, m->rest.len);
}

void mask_credentials(struct buf *to, struct str text, struct mask_carry *carry)
{
	struct masker m = { .to = to,
		.rest = text,
		.begin = text.p,
		.wants_secret = carry->secret && !text.len,
		.program = carry->program,
		.is_argument = carry->program };

	if (text.len)
		take_carried(&m, carry);
	while (m.rest.len) {
		size_t blank = blanks(m.rest);

		if (blank)
			take(&m, blank);
		else if (m.wants_secret || m.wants_pair)
			next_wanted(&m);
		else if (is_name_char(m.rest.p[0]))
			next_name(&m);
		else if (str_starts(m.rest, "://")) {
			take(&m, 3);
			hide(&m, userinfo_len(m.rest));
		} else
			take_other(&m);
	}
	*carry = (struct mask_carry){ m.wants_secret, m.wants_pair, carry->program ? carry->program : m.program };
}
