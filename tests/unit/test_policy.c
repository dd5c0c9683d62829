/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions: each denial with its rule, tokens that can only be narrower, and what may not be
 * started at all.
 */
#include "some_policy.h"

#include "policy/place.h"

static void denied(const struct principal *who, const struct op *op, enum err_code code, const char *rule)
{
	if (policy_check_op(who, op, &err) == 0)
		fail_msg("'%s' is allowed", op->id);
	assert_int_equal(err.code, code);
	assert_string_equal(err.rule, rule);
}

static void allowed(const struct principal *who, const struct op *op)
{
	if (policy_check_op(who, op, &err) < 0)
		fail_msg("'%s': %s (%s)", op->id, err.text, err.rule);
}

static void without_tokens(void **state)
{
	struct policy *p = make(NULL);
	const struct principal *who = caller(p, NULL);

	(void)state;
	assert_false(policy_has_tokens(p));
	assert_string_equal(principal_name(who), "local");
	assert_int_equal(principal_scopes(who)->count, 1);
	assert_string_equal(((const char *const *)principal_scopes(who)->items)[0], "*");
	assert_ptr_equal(principal_policy(who), p);
	assert_ptr_equal(caller(p, "anything"), who);
	assert_ptr_equal(policy_principal(p, "local"), who);
	assert_null(policy_principal(p, "token"));
	for (const struct op *const *op = ops_all; *op; op++) {
		if (*op != &some_git)
			allowed(who, *op);
	}
	denied(who, &some_git, ERR_OP_NOT_ENABLED, "policy:profile");
	assert_int_equal(policy_check_rate(who, &err), 0);
	policy_unref(p);
}

static void refused(const struct policy *p, struct str bearer, struct str access_token, enum err_code code)
{
	assert_null(policy_authenticate(p, bearer, access_token, &err));
	assert_int_equal(err.code, code);
}

static void authentication(void **state)
{
	struct policy *p = make_with((struct policy_settings){ .token = "s3cret" },
		"tokens:\n- {name: ci, sha256: HASH(ci-token), scopes: [core:read]}\n"
		"- {name: old, sha256: HASH(old-token), scopes: [\"*\"], expires: 2020-01-01}\n");

	(void)state;
	assert_non_null(p);
	assert_true(policy_has_tokens(p));
	assert_string_equal(principal_name(caller(p, "s3cret")), "token");
	assert_string_equal(principal_name(caller(p, "ci-token")), "ci");
	assert_ptr_equal(policy_principal(p, "ci"), caller(p, "ci-token"));
	assert_null(policy_principal(p, "local"));
	assert_non_null(policy_authenticate(p, NONE, STR("s3cret"), &err));
	assert_non_null(policy_authenticate(p, STR("s3cret"), STR("s3cret"), &err));
	refused(p, NONE, NONE, ERR_AUTH_MISSING);
	refused(p, STR("s3cret"), STR("ci-token"), ERR_AUTH_CONFLICT);
	refused(p, STR("s3cret"), STR(""), ERR_AUTH_CONFLICT);
	refused(p, STR(""), NONE, ERR_AUTH_INVALID);
	refused(p, STR("s3cre"), NONE, ERR_AUTH_INVALID);
	refused(p, STR("s3crets"), NONE, ERR_AUTH_INVALID);
	refused(p, STR("s3cret "), NONE, ERR_AUTH_INVALID);
	refused(p, STR(" s3cret"), NONE, ERR_AUTH_INVALID);
	refused(p, STR("S3CRET"), NONE, ERR_AUTH_INVALID);
	refused(p, STR("s3cret\0x"), NONE, ERR_AUTH_INVALID);
	refused(p, STR("old-token"), NONE, ERR_AUTH_EXPIRED);
	assert_string_equal(err.rule, "policy:tokens.old.expires");
	policy_unref(p);
}

static void secrets_that_are_none(void **state)
{
	(void)state;
	refuses_with((struct policy_settings){ .token = "" }, NULL, "the token is empty");
	refuses_with((struct policy_settings){ .token = "  " }, NULL, "the token is empty");
	refuses_with((struct policy_settings){ .token = "a " }, NULL, "blank");
	refuses_with((struct policy_settings){ .token = "twice" },
		"tokens:\n- {name: a, sha256: HASH(twice), scopes: []}\n",
		":2: the token 'a' is the one of the start options too");
	refuses_with((struct policy_settings){ .token = "x" },
		"tokens:\n- {name: token, sha256: HASH(y), scopes: []}\n",
		":2: 'token' is the name of the start options' token");
}

static void scopes(void **state)
{
	struct policy *p = make(
		"tokens:\n"
		"- {name: look, sha256: HASH(look), scopes: [\"*:read\"]}\n"
		"- {name: files, sha256: HASH(files), scopes: [\"files:*\"], ops: {files_delete: false, files.list: true}}\n"
		"- {name: none, sha256: HASH(none), scopes: []}\n");
	const struct principal *look = caller(p, "look"), *files = caller(p, "files"), *none = caller(p, "none");

	(void)state;
	allowed(look, &some_list);
	allowed(look, &some_info);
	denied(look, &some_delete, ERR_POLICY_SCOPE, "policy:tokens.look.scopes");
	denied(look, &some_reload, ERR_POLICY_SCOPE, "policy:tokens.look.scopes");
	denied(look, &some_start, ERR_POLICY_SCOPE, "policy:tokens.look.scopes");
	allowed(files, &some_list);
	allowed(files, &some_upload);
	denied(files, &some_delete, ERR_POLICY_SCOPE, "policy:tokens.files.ops.files_delete");
	denied(files, &some_info, ERR_POLICY_SCOPE, "policy:tokens.files.scopes");
	allowed(none, &some_health);
	denied(none, &some_capabilities, ERR_POLICY_SCOPE, "policy:tokens.none.scopes");
	policy_unref(p);
}

static void rule_of(const struct policy *p, const struct op *op, const char *wanted)
{
	char rule[ERR_RULE_MAX] = "x";

	assert_int_equal(policy_op_enabled(p, op, rule), !wanted[0]);
	assert_string_equal(rule, wanted);
}

static void profiles(void **state)
{
	struct policy *p = make("profile: full_access");

	(void)state;
	rule_of(p, &some_git, "");
	policy_unref(p);
	p = make("profile: read_only");
	rule_of(p, &some_health, "");
	rule_of(p, &some_list, "");
	rule_of(p, &some_git, "");
	rule_of(p, &some_delete, "policy:profile");
	rule_of(p, &some_start, "policy:profile");
	rule_of(p, &some_reload, "policy:profile");
	policy_unref(p);
	p = make("{profile: read_only, groups: {file_ops: true}, ops: {process.start: true}}");
	rule_of(p, &some_delete, "policy:profile");
	rule_of(p, &some_start, "");
	policy_unref(p);
	p = make("profile: locked");
	rule_of(p, &some_reload, "");
	rule_of(p, &some_capabilities, "");
	rule_of(p, &some_list, "policy:profile");
	assert_false(policy_group_enabled(p, "system"));
	assert_true(policy_group_enabled(p, "core"));
	policy_unref(p);
	p = make("{profile: locked, groups: {file_ops: true}, ops: {system_info: true}}");
	rule_of(p, &some_delete, "");
	rule_of(p, &some_info, "");
	rule_of(p, &some_start, "policy:profile");
	policy_unref(p);
}

static void switches(void **state)
{
	struct policy *p = make(
		"{groups: {dev_tools: true, file_ops: false}, ops: {files.list: true, process_start: false}}");
	const struct principal *who = caller(p, NULL);

	(void)state;
	rule_of(p, &some_git, "");
	rule_of(p, &some_list, "");
	denied(who, &some_delete, ERR_OP_NOT_ENABLED, "policy:groups.file_ops");
	denied(who, &some_start, ERR_OP_NOT_ENABLED, "policy:ops.process_start");
	assert_false(policy_group_enabled(p, "file_ops"));
	policy_unref(p);

	p = make_with((struct policy_settings){ .disabled_groups = " file_ops ,,system" }, "{ops: {files.list: true}}");
	assert_non_null(p);
	rule_of(p, &some_list, "policy:groups.file_ops");
	rule_of(p, &some_info, "policy:groups.system");
	rule_of(p, &some_start, "");
	policy_unref(p);
	refuses_with((struct policy_settings){ .disabled_groups = "file_ops,files" }, NULL, "unknown group 'files'");
	refuses_with((struct policy_settings){ .disabled_groups = "core" }, NULL, "'core' cannot be switched off");
}

static void limits(void **state)
{
	struct policy *p = make(
		"{limits: {process.start: {max_processes: 50}, max_watchers: 7},\n"
		" tokens: [{name: low, sha256: HASH(low), scopes: [], limits: {process_start: {max_processes: 5, retain: 3}}},\n"
		"          {name: high, sha256: HASH(high), scopes: [], limits: {process.start: {max_processes: 900}}}]}");
	const struct principal *low = caller(p, "low"), *high = caller(p, "high");

	(void)state;
	assert_int_equal(policy_limit(low, &some_start, "max_processes"), 5);
	assert_int_equal(policy_limit(low, &some_start, "retain"), 3);
	assert_int_equal(policy_limit(high, &some_start, "max_processes"), 50);
	assert_int_equal(policy_limit(high, &some_start, "retain"), 100);
	assert_int_equal(policy_limit(low, &some_upload, "max_bytes"), 104857600);
	assert_int_equal(policy_server_limit(p, "max_watchers"), 7);
	assert_int_equal(policy_server_limit(p, "max_body_bytes"), 10485760);
	assert_int_equal(policy_server_limit(p, "max_memory_bytes"), 67108864);
	assert_int_equal(policy_server_limit(p, "max_connections"), 1024);
	policy_unref(p);

	p = make_with(
		(struct policy_settings){ .max_upload_size = 12 }, "limits: {files.upload_stream: {max_bytes: 99}}");
	assert_non_null(p);
	assert_int_equal(policy_limit(caller(p, NULL), &some_upload, "max_bytes"), 12);
	policy_unref(p);
	refuses_with((struct policy_settings){ .max_upload_size = INT64_MAX }, NULL, "the largest upload");
	refuses_with((struct policy_settings){ .max_upload_size = -1 }, NULL, "the largest upload");
}

/* How many calls pass at once; few enough that the clock adds none meanwhile. */
static unsigned burst(const struct principal *who)
{
	unsigned passed = 0;

	while (passed < 1000 && policy_check_rate(who, &err) == 0)
		passed++;
	return passed;
}

static void rates(void **state)
{
	struct policy *p = make(
		"{limits: {rate: {per_second: 0.002}},\n"
		" tokens: [{name: a, sha256: HASH(a), scopes: []},\n"
		"          {name: b, sha256: HASH(b), scopes: [], limits: {rate: {per_second: 0.001}}},\n"
		"          {name: c, sha256: HASH(c), scopes: [], limits: {rate: {per_second: 900}}}]}");

	(void)state;
	assert_int_equal(burst(caller(p, "a")), 1);
	assert_int_equal(err.code, ERR_LIMIT_RATE);
	assert_string_equal(err.rule, "policy:limits.rate.per_second");
	assert_int_equal(burst(caller(p, "b")), 1);
	assert_string_equal(err.rule, "policy:tokens.b.limits.rate.per_second");
	assert_int_equal(burst(caller(p, "c")), 1);
	assert_string_equal(err.rule, "policy:limits.rate.per_second");
	policy_unref(p);
	p = make(NULL);
	assert_int_equal(burst(caller(p, NULL)), 1000);
	policy_unref(p);
}

static void origin(const struct policy *p, const char *host, const char *from, const char *rule, bool cors)
{
	bool is_cors = !cors;
	int status = policy_check_origin(p, str_of(host), str_of(from), &is_cors, &err);

	if ((status < 0) != (rule != NULL))
		fail_msg("host '%s', origin '%s': %d", host ? host : "-", from ? from : "-", status);
	if (rule) {
		assert_int_equal(err.code, ERR_POLICY_ORIGIN);
		assert_string_equal(err.rule, rule);
	}
	assert_int_equal(is_cors, cors);
}

static void hosts_without_a_token(void **state)
{
	static const char *const good[] = { "localhost", "localhost:9000", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80",
		"[::1]", "[::1]:9000", NULL };
	static const char *const bad[] = { "", "example.com", "localhost.evil.example", "127.0.0.1.evil.example",
		"127.evil.example", "127.0.0", "127.0.0.256", "127.0.0.1.", "127.0.0.1.5", "128.0.0.1", "0.0.0.0",
		"::1", "[::2]", "[::1", "[::1]x", "localhost:", "localhost:x", "localhost:123456", "10.0.0.1:9000",
		"evil.example:127", "127..0.1", NULL };
	struct policy *p = make(NULL);

	(void)state;
	for (const char *const *host = good; *host; host++)
		origin(p, *host, NULL, NULL, false);
	for (const char *const *host = bad; *host; host++)
		origin(p, *host, NULL, "policy:tokens", false);
	origin(p, NULL, NULL, NULL, false);
	policy_unref(p);
	p = make_with((struct policy_settings){ .token = "t" }, NULL);
	assert_non_null(p);
	origin(p, "sandbox.example:9000", NULL, NULL, false);
	policy_unref(p);
}

static void origins(void **state)
{
	struct policy *p = make_with(
		(struct policy_settings){ .token = "t" }, "cors: {origins: [\"https://app.example\"]}");

	(void)state;
	assert_non_null(p);
	origin(p, "box.example:9000", "https://app.example", NULL, true);
	origin(p, "box.example:9000", "http://box.example:9000", NULL, false);
	origin(p, "BOX.example:9000", "http://box.example:9000", NULL, false);
	origin(p, "box.example", "http://box.example", NULL, false);
	origin(p, "box.example:80", "http://box.example", NULL, false);
	origin(p, "[::1]:9000", "http://[::1]:9000", NULL, false);
	origin(p, "box.example:9000", "https://box.example:9000", "policy:cors.origins", false);
	origin(p, "box.example:9000", "http://box.example:9001", "policy:cors.origins", false);
	origin(p, "box.example:9000", "http://box.example", "policy:cors.origins", false);
	origin(p, "box.example:9000", "http://evil.example", "policy:cors.origins", false);
	origin(p, "box.example:9000", "https://app.example.evil", "policy:cors.origins", false);
	origin(p, "box.example:9000", "https://app.exampl", "policy:cors.origins", false);
	origin(p, "box.example:9000", "https://APP.example", "policy:cors.origins", false);
	origin(p, "box.example:9000", "null", "policy:cors.origins", false);
	origin(p, "box.example:9000", "", "policy:cors.origins", false);
	origin(p, NULL, "http://", "policy:cors.origins", false);
	policy_unref(p);
	p = make("cors: {origins: [\"https://app.example\"]}");
	origin(p, "localhost:9000", "https://app.example", NULL, true);
	origin(p, "evil.example", "https://app.example", "policy:tokens", true);
	origin(p, "evil.example", "http://evil.example", "policy:tokens", false);
	policy_unref(p);
}

static struct place *resolve(const struct principal *who, struct arena *arena, const char *path, unsigned flags)
{
	return place_resolve(arena, who, str_of(path), flags, &err);
}

static void reaches(const struct principal *who, const char *path, unsigned flags, const char *rule)
{
	struct arena arena;
	struct place *place;

	arena_init(&arena, 1 << 20);
	place = resolve(who, &arena, path, flags);
	if (!place != (rule != NULL))
		fail_msg("'%s': %s", path, place ? "reached" : err.text);
	if (rule)
		assert_string_equal(err.rule, rule);
	place_close(place);
	arena_free(&arena);
}

static void paths(void **state)
{
	struct policy *p = make(
		"{paths: {roots: [BASE], base: BASE, deny: [\"**/.env\"], readonly: [BASE/vendor]},\n"
		" tokens: [{name: all, sha256: HASH(all), scopes: []},\n"
		"          {name: sub, sha256: HASH(sub), scopes: [], paths: {roots: [BASE/sub], deny: [\"**/x\"]}},\n"
		"          {name: deny, sha256: HASH(deny), scopes: [], paths: {deny: [BASE/sub]}}]}");
	const struct principal *all = caller(p, "all"), *sub = caller(p, "sub"), *deny = caller(p, "deny");
	struct policy_facts facts;

	(void)state;
	reaches(all, "sub", 0, NULL);
	reaches(all, "/etc", 0, "policy:paths.roots");
	reaches(all, ".env", F_MISSING_OK, "policy:paths.deny[0]");
	reaches(all, "vendor", 0, NULL);
	reaches(all, "vendor/a", F_WRITE | F_MISSING_OK, "policy:paths.readonly[0]");
	reaches(sub, base, 0, "policy:tokens.sub.paths.roots");
	reaches(sub, ".", 0, NULL); /* its base is its first root */
	reaches(sub, "x", F_MISSING_OK, "policy:tokens.sub.paths.deny[0]");
	reaches(sub, ".env", F_MISSING_OK, "policy:paths.deny[0]");
	reaches(deny, "vendor", 0, NULL);
	reaches(deny, "sub", 0, "policy:tokens.deny.paths.deny[0]");
	policy_facts(sub, &facts);
	assert_int_equal(facts.roots.count, 1);
	assert_non_null(strstr(((const char *const *)facts.roots.items)[0], "/sub"));
	assert_non_null(strstr(facts.base, "/sub"));
	assert_int_equal(facts.deny.count, 2);
	assert_int_equal(facts.readonly.count, 1);
	policy_unref(p);
	refuses("tokens: [{name: out, sha256: HASH(out), scopes: [], paths: {roots: [/etc]}}]",
		"tokens.out.paths.roots[0]");
	refuses("paths: {roots: [BASE/none], base: BASE/none}", "paths.roots[0]");
	refuses("paths: {roots: [/etc]}", "paths.base");
}

static void bases(void **state)
{
	char missing[128];
	struct policy_facts facts;
	struct policy *p;

	(void)state;
	snprintf(missing, sizeof missing, "%s/made", base);
	p = make_with((struct policy_settings){ .base_dir = missing }, NULL);
	assert_non_null(p);
	assert_int_equal(access(missing, F_OK), 0);
	policy_facts(caller(p, NULL), &facts);
	assert_string_equal(facts.base, missing);
	assert_int_equal(facts.roots.count, 1);
	policy_unref(p);
	assert_int_equal(rmdir(missing), 0);
}

static void masks(void **state)
{
	struct policy *p = make_with(
		(struct policy_settings){ .token = "s3cret" }, "tokens: [{name: a, sha256: HASH(x), scopes: []}]");
	AUTOBUF struct buf text;

	(void)state;
	assert_non_null(p);
	buf_init(&text, 4096);
	buf_adds(&text, "s3cret and s3crets3cret, not s3cre; "
			"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881");
	policy_mask(p, &text);
	assert_string_equal(text.data, "*** and ******, not s3cre; ***");
	policy_mask(p, &text);
	assert_string_equal(text.data, "*** and ******, not s3cre; ***");
	buf_truncate(&text, 0);
	policy_mask(p, &text);
	assert_int_equal(text.len, 0);
	policy_unref(p);
}

static void reload(void **state)
{
	struct policy *p = make("tokens: [{name: a, sha256: HASH(a), scopes: []}]");

	(void)state;
	assert_ptr_equal(policy_ref(p), p);
	policy_unref(p);
	assert_string_equal(principal_name(caller(p, "a")), "a");
	policy_unref(p);
	policy_unref(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_tokens),
		cmocka_unit_test(authentication),
		cmocka_unit_test(secrets_that_are_none),
		cmocka_unit_test(scopes),
		cmocka_unit_test(profiles),
		cmocka_unit_test(switches),
		cmocka_unit_test(limits),
		cmocka_unit_test(rates),
		cmocka_unit_test(hosts_without_a_token),
		cmocka_unit_test(origins),
		cmocka_unit_test(paths),
		cmocka_unit_test(bases),
		cmocka_unit_test(masks),
		cmocka_unit_test(reload),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
