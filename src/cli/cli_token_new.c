/* SPDX-License-Identifier: Apache-2.0 */
/* abx token new: a token for the policy file; it is shown once and kept nowhere. */
#include "base/base64.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "policy/scope.h"

#include <ctype.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

enum { SECRET_BYTES = 32, TEXT_MAX = 64 * 1024, NAME_MAX_LEN = 64, TIME_SIZE = 32 };

static const char PREFIX[] = "abx_";

struct token {
	const char *name;
	char secret[80], digest[2 * SHA256_DIGEST_SIZE + 1];
	char expires[TIME_SIZE]; /* empty: never */
};

static int make_secret(struct token *t, struct problem *p)
{
	uint8_t bytes[SECRET_BYTES], digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	AUTOBUF struct buf text;

	buf_init(&text, sizeof t->secret);
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return problem_set(p, EXIT_OTHER, "no random numbers");
	buf_adds(&text, PREFIX);
	base64url_encode(&text, (struct str){ (const char *)bytes, sizeof bytes });
	snprintf(t->secret, sizeof t->secret, "%s", text.data);
	sha256_init(&sha);
	sha256_update(&sha, text.len, (const uint8_t *)text.data);
	sha256_digest(&sha, sizeof digest, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(t->digest + 2 * i, 3, "%02x", digest[i]);
	explicit_bzero(bytes, sizeof bytes);
	return 0;
}

/* As the policy file wants it. */
static int check_name(const char *name, struct problem *p)
{
	size_t len = strlen(name);
	bool is_good = len > 0 && len <= NAME_MAX_LEN && strcmp(name, "local") != 0;

	for (size_t i = 0; i < len; i++)
		is_good = is_good && (isalnum((unsigned char)name[i]) || strchr("_-", name[i]));
	if (is_good)
		return 0;
	return problem_set(p, EXIT_USAGE,
		"token new: a name has 1 to %d letters, digits, '-' and '_', and is not 'local'", NAME_MAX_LEN);
}

/* Each scope of the flag, which may be repeated and may hold commas. */
static int each_scope(const struct args *args, int (*fn)(struct str scope, void *user), void *user)
{
	const char *value;
	size_t at = 0;

	while ((value = args_next(args, "scopes", &at))) {
		struct str rest = str_of(value);

		while (rest.len) {
			struct str scope = str_trim(str_cut(&rest, ','));

			if (scope.len && fn(scope, user) < 0)
				return -1;
		}
	}
	return 0;
}

static int check_scope(struct str scope, void *user)
{
	const char *nearest = NULL;
	char text[64];

	snprintf(text, sizeof text, STR_FMT, (int)MIN(scope.len, sizeof text - 1), scope.p);
	/* A server does not start with one that it does not know. */
	if (scope.len < sizeof text && scope_known(text, &nearest))
		return 0;
	if (nearest)
		return problem_set(user, EXIT_USAGE, "token new: '%s' is no scope; did you mean '%s'?", text, nearest);
	return problem_set(user, EXIT_USAGE,
		"token new: '%s' is no scope; one is like files:read, files:*, *:read, admin or *", text);
}

static int64_t unit_seconds(char unit)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (units[i].unit == unit)
			return units[i].seconds;
	}
	return 0;
}

/* A moment, a date, or how long from now: "30d". */
static int read_expires(struct token *t, const char *text, struct problem *p)
{
	size_t len = text ? strlen(text) : 0;
	uint64_t count;
	struct tm tm = { 0 };
	const char *end;
	time_t when;

	if (!text)
		return 0;
	if (len > 1 && len < 8 && unit_seconds(text[len - 1]) &&
		str_to_u64((struct str){ text, len - 1 }, &count) == 0 && count > 0) {
		when = time(NULL) + (time_t)count * unit_seconds(text[len - 1]);
		gmtime_r(&when, &tm);
		strftime(t->expires, sizeof t->expires, "%Y-%m-%dT%H:%M:%SZ", &tm);
		return 0;
	}
	end = strptime(text, len > 10 ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d", &tm);
	if (!end || *end || len >= sizeof t->expires)
		return problem_set(p, EXIT_USAGE,
			"token new: --expires is a moment like 2027-01-01T00:00:00Z, a date, or how long from now, like 30d");
	if (timegm(&tm) <= time(NULL))
		return problem_set(p, EXIT_USAGE, "token new: --expires is a moment that is over: %s", text);
	snprintf(t->expires, sizeof t->expires, "%s", text);
	return 0;
}

struct scopes_text {
	struct buf *to;
	bool any;
};

static int add_yaml(struct str scope, void *user)
{
	struct scopes_text *s = user;
	bool has_star = memchr(scope.p, '*', scope.len);

	buf_addf(s->to, "%s%s" STR_FMT "%s", s->any ? ", " : "", has_star ? "\"" : "", STR_ARG(scope),
		has_star ? "\"" : "");
	s->any = true;
	return 0;
}

static int add_json(struct str scope, void *user)
{
	json_text(user, scope);
	return 0;
}

static int print_yaml(const struct token *t, const struct args *args)
{
	AUTOBUF struct buf text;
	struct scopes_text scopes = { &text, false };

	buf_init(&text, TEXT_MAX);
	buf_addf(&text,
		"# The token, which is shown this once:\n%s\n\n# Below \"tokens:\" in the policy file:\n  - name: %s\n"
		"    sha256: %s\n    scopes: [",
		t->secret, t->name, t->digest);
	if (each_scope(args, add_yaml, &scopes) < 0)
		return -1;
	buf_adds(&text, "]\n");
	if (t->expires[0])
		buf_addf(&text, "    expires: %s\n", t->expires);
	fwrite(text.data, 1, text.len, stdout);
	return EXIT_OK;
}

static int print_json(const struct token *t, const struct args *args)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, TEXT_MAX);
	json_write_init(&w, &text);
	json_object_begin(&w);
	json_key(&w, "name");
	json_string(&w, t->name);
	json_key(&w, "token");
	json_string(&w, t->secret);
	json_key(&w, "sha256");
	json_string(&w, t->digest);
	json_key(&w, "scopes");
	json_array_begin(&w);
	if (each_scope(args, add_json, &w) < 0)
		return -1;
	json_array_end(&w);
	if (t->expires[0]) {
		json_key(&w, "expires");
		json_string(&w, t->expires);
	}
	json_object_end(&w);
	buf_addc(&text, '\n');
	fwrite(text.data, 1, text.len, stdout);
	return EXIT_OK;
}

static int run(struct cli *cli, struct args *args)
{
	struct token t = { .name = args->words[0] };
	int code;

	if (check_name(t.name, &cli->problem) < 0 || each_scope(args, check_scope, &cli->problem) < 0 ||
		read_expires(&t, args_value(args, "expires"), &cli->problem) < 0 || make_secret(&t, &cli->problem) < 0)
		return -1;
	code = cli->json ? print_json(&t, args) : print_yaml(&t, args);
	explicit_bzero(t.secret, sizeof t.secret);
	return code;
}

static const struct flag flags[] = {
	{ 's', "scopes", "SCOPES", "what it may do, with commas between; may be repeated; none without it" },
	{ 'e', "expires", "WHEN", "2027-01-01T00:00:00Z, a date, or how long from now: 90m, 12h, 30d, 2w" },
	FLAGS_END,
};

const struct command cli_token_new = {
	.name = "token new",
	.usage = "NAME",
	.summary = "make a token and its entry for the policy file",
	.text = "The token is shown once and kept nowhere; the policy file holds its SHA-256 alone. No server is asked.\n",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = run,
};
