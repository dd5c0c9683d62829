/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/policy_internal.h"

#include "policy/mask.h"
#include "policy/origin.h"
#include "policy/profile.h"
#include "policy/scope.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

const char *const policy_groups[] = { "core", "commands", "file_ops", "process", "terminal", "system", "dev_tools",
	"browser", NULL };

bool policy_has_tokens(const struct policy *p)
{
	return p->principal_count > 0;
}

static bool is_listed(texts list, struct str text)
{
	for (; *list; list++) {
		if (str_is(text, *list))
			return true;
	}
	return false;
}

int policy_check_origin(const struct policy *p, struct str host, struct str origin, bool *ret_cors, struct err *err)
{
	*ret_cors = origin.p && is_listed(p->config->cors.origins, origin);
	if (host.p && !policy_has_tokens(p) && !origin_host_is_loopback(host))
		return err_deny(err, ERR_POLICY_ORIGIN, "tokens",
			"a server without a token answers to loopback names only, not to the host '" STR_FMT "'",
			(int)MIN(host.len, 128), host.p);
	if (!origin.p || *ret_cors || (host.p && origin_is_same(origin, host)))
		return 0;
	return err_deny(err, ERR_POLICY_ORIGIN, "cors.origins", "the origin '" STR_FMT "' is not allowed",
		(int)MIN(origin.len, 128), origin.p);
}

static const struct principal *refuse(struct err *err, enum err_code code, const char *text)
{
	err_set(err, code, "%s", text);
	return NULL;
}

int policy_check_expiry(const struct principal *who, struct err *err)
{
	char rule[ERR_RULE_MAX];

	if (!who->token || !who->token->expires || who->token->expires > (int64_t)time(NULL))
		return 0;
	snprintf(rule, sizeof rule, "tokens.%s.expires", who->name);
	return err_deny(err, ERR_AUTH_EXPIRED, rule, "the token has expired");
}

int64_t policy_next_expiry_s(const struct policy *p)
{
	int64_t now = (int64_t)time(NULL), next = INT64_MAX;

	for (size_t i = 0; i < p->principal_count; i++) {
		const struct token_config *token = p->principals[i].token;

		if (token && token->expires > now)
			next = MIN(next, token->expires);
	}
	return next < INT64_MAX ? next - now : -1;
}

const struct principal *policy_authenticate(
	const struct policy *p, struct str bearer, struct str access_token, struct err *err)
{
	struct str secret = bearer.p ? bearer : access_token;
	uint8_t hash[TOKEN_HASH_SIZE];
	ptrdiff_t at;

	if (!policy_has_tokens(p))
		return &p->local;
	if (!secret.p)
		return refuse(err, ERR_AUTH_MISSING, "a token is needed");
	if (bearer.p && access_token.p && !token_equal(bearer, access_token))
		return refuse(err, ERR_AUTH_CONFLICT, "two different tokens were sent");
	token_digest(secret, hash);
	at = token_find(p->hashes, p->principal_count, hash);
	if (at < 0)
		return refuse(err, ERR_AUTH_INVALID, "the token is not known");
	return policy_check_expiry(&p->principals[at], err) < 0 ? NULL : &p->principals[at];
}

const struct principal *policy_principal(const struct policy *p, const char *name)
{
	if (!policy_has_tokens(p))
		return strcmp(name, p->local.name) == 0 ? &p->local : NULL;
	for (size_t i = 0; i < p->principal_count; i++) {
		if (strcmp(p->principals[i].name, name) == 0)
			return &p->principals[i];
	}
	return NULL;
}

/* The hash that a principal was found by; NULL for the one without a token. */
static const uint8_t *hash_of(const struct principal *who)
{
	const struct policy *p = who->policy;

	return policy_has_tokens(p) ? p->hashes[who - p->principals] : NULL;
}

int policy_recheck(const struct policy *p, const struct principal *old, const struct op *op, struct err *err)
{
	const struct principal *who = policy_principal(p, old->name);
	const uint8_t *hash = who ? hash_of(who) : NULL, *old_hash = hash_of(old);

	if (!who || !hash != !old_hash || (hash && memcmp(hash, old_hash, TOKEN_HASH_SIZE) != 0))
		return err_set(err, ERR_AUTH_INVALID, "the token is not one of the server's any more");
	return policy_check_expiry(who, err) < 0 ? -1 : policy_check_op(who, op, err);
}

int policy_check_rate(const struct principal *who, struct err *err)
{
	char rule[ERR_RULE_MAX] = "limits.rate.per_second";
	bool is_own = who->token && who->token->per_second > 0 && who->rate->per_second >= who->token->per_second;

	if (rate_take(who->rate, clock_now_ns()))
		return 0;
	if (is_own)
		snprintf(rule, sizeof rule, "tokens.%s.limits.rate.per_second", who->name);
	return err_deny(err, ERR_LIMIT_RATE, rule, "more than %g calls in a second", who->rate->per_second);
}

int64_t policy_retry_after(const struct principal *who)
{
	return rate_wait_s(who->rate, clock_now_ns());
}

static const struct named_switch *find_switch(const struct list *list, const char *name)
{
	const struct named_switch *items = list->items;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(items[i].name, name) == 0)
			return &items[i];
	}
	return NULL;
}

/* The op's own switch; for the template author's commands, that of them all comes behind. */
static const struct named_switch *find_op_switch(const struct list *list, const struct op *op)
{
	const struct named_switch *own = find_switch(list, op->id);

	return own || !op->is_dynamic ? own : find_switch(list, POLICY_EVERY_COMMAND);
}

/* What switches the group off, as a rule; NULL when it is on. */
static const char *group_off(const struct policy *p, const char *group)
{
	const struct named_switch *own = find_switch(&p->config->groups, group);

	if (strcmp(group, "core") == 0)
		return NULL;
	if (is_listed(p->disabled_groups, str_of(group)) || (own && !own->on))
		return "groups";
	return own || profile_has_group((enum profile)p->config->profile, group) ? NULL : "profile";
}

bool policy_group_enabled(const struct policy *p, const char *group)
{
	return !group_off(p, group);
}

/*
 * A group that the start options disable stays off whatever the file says: they are the outer
 * word.  In the file a single op wins over its group, and both over the profile.
 */
bool policy_op_enabled(const struct policy *p, const struct op *op, char ret_rule[static ERR_RULE_MAX])
{
	const struct named_switch *own = find_op_switch(&p->config->ops, op);
	const char *off = group_off(p, op->group);

	ret_rule[0] = '\0';
	if (is_listed(p->disabled_groups, str_of(op->group)) && strcmp(op->group, "core") != 0)
		own = NULL;
	if (own && !own->on)
		snprintf(ret_rule, ERR_RULE_MAX, "policy:ops.%s", own->key);
	else if (!own && off && strcmp(off, "groups") == 0)
		snprintf(ret_rule, ERR_RULE_MAX, "policy:groups.%s", op->group);
	else if (!own && (off || !profile_has_scope((enum profile)p->config->profile, op->scope)))
		snprintf(ret_rule, ERR_RULE_MAX, "policy:profile");
	return !ret_rule[0];
}

/* The token's own part: it can only take away. */
static int check_token(const struct principal *who, const struct op *op, struct err *err)
{
	const struct named_switch *own = who->token ? find_op_switch(&who->token->ops, op) : NULL;
	char rule[ERR_RULE_MAX];

	if (own && !own->on) {
		snprintf(rule, sizeof rule, "tokens.%s.ops.%s", who->name, own->key);
		return err_deny(err, ERR_POLICY_SCOPE, rule, "the token may not call '%s'", op->id);
	}
	if (!op->scope || scope_allowed(who->scopes, op->scope))
		return 0;
	snprintf(rule, sizeof rule, "tokens.%s.scopes", who->name);
	return err_deny(err, ERR_POLICY_SCOPE, rule, "'%s' needs the scope '%s', which the token does not have", op->id,
		op->scope);
}

int policy_check_op(const struct principal *who, const struct op *op, struct err *err)
{
	char rule[ERR_RULE_MAX];

	if (!policy_op_enabled(who->policy, op, rule))
		return err_deny(err, ERR_OP_NOT_ENABLED, rule + strlen("policy:"),
			"'%s' is switched off on this server", op->id);
	return check_token(who, op, err);
}

static const struct op_value *find_value_of(const struct list *list, const char *op, const char *name)
{
	const struct op_value *items = list->items;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(items[i].op, op) == 0 && strcmp(items[i].name, name) == 0)
			return &items[i];
	}
	return NULL;
}

static const struct op_value *find_value(const struct list *list, const struct op *op, const char *name)
{
	const struct op_value *own = find_value_of(list, op->id, name);

	return own || !op->is_dynamic ? own : find_value_of(list, POLICY_EVERY_COMMAND, name);
}

int64_t policy_limit(const struct principal *who, const struct op *op, const char *name)
{
	const struct policy *p = who->policy;
	const struct limit *limit = op_limit(op, name);
	const struct op_value *own = find_value(&p->config->limits.ops, op, name);
	const struct op_value *narrower = who->token ? find_value(&who->token->limits, op, name) : NULL;
	int64_t value;

	assert(limit);
	value = own ? own->value : limit->def;
	if (p->max_upload_size && strcmp(op->id, "files.upload_stream") == 0 && strcmp(name, "max_bytes") == 0)
		value = p->max_upload_size;
	value = MIN(value, limit->cap);
	return narrower ? MIN(value, narrower->value) : value;
}

void policy_limit_rule(
	const struct principal *who, const struct op *op, const char *name, char ret_rule[static ERR_RULE_MAX])
{
	const struct op_value *own = find_value(&who->policy->config->limits.ops, op, name);
	const struct op_value *narrower = who->token ? find_value(&who->token->limits, op, name) : NULL;

	/* Where a value stands for all commands of the author, that line is the rule. */
	if (narrower && policy_limit(who, op, name) == narrower->value)
		snprintf(ret_rule, ERR_RULE_MAX, "tokens.%s.limits.%s.%s", who->name, narrower->op, name);
	else
		snprintf(ret_rule, ERR_RULE_MAX, "limits.%s.%s", own ? own->op : op->id, name);
}

int64_t policy_server_limit(const struct policy *p, const char *name)
{
	const struct {
		const char *name;
		int64_t value;
	} limits[] = {
		{ "max_body_bytes", p->config->limits.max_body_bytes },
		{ "max_memory_bytes", p->config->limits.max_memory_bytes },
		{ "max_connections", p->config->limits.max_connections },
		{ "max_watchers", p->config->limits.max_watchers },
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		if (strcmp(limits[i].name, name) == 0)
			return limits[i].value;
	}
	assert(!"a server's limit has this name");
	return 0;
}

const struct config *policy_config(const struct policy *p)
{
	return p->config;
}

bool policy_fsync(const struct policy *p)
{
	return p->config->files.fsync;
}

const struct policy *principal_policy(const struct principal *who)
{
	return who->policy;
}

const struct principal *policy_server_principal(const struct policy *p)
{
	return &p->local;
}

const char *principal_name(const struct principal *who)
{
	return who->name;
}

const uint8_t *principal_mark(const struct principal *who, uint8_t ret_mark[static PRINCIPAL_MARK_SIZE])
{
	const uint8_t *hash = hash_of(who);

	_Static_assert((int)PRINCIPAL_MARK_SIZE == (int)TOKEN_HASH_SIZE, "the mark is the hash");
	memset(ret_mark, 0, PRINCIPAL_MARK_SIZE);
	return hash ? memcpy(ret_mark, hash, PRINCIPAL_MARK_SIZE) : ret_mark;
}

const struct list *principal_scopes(const struct principal *who)
{
	return &who->scope_list;
}

const struct roots *principal_roots(const struct principal *who)
{
	return who->roots;
}

const struct roots *policy_roots(const struct policy *p)
{
	return p->roots;
}

void policy_facts(const struct principal *who, struct policy_facts *ret_facts)
{
	*ret_facts = who->facts;
}

void policy_mask(const struct policy *p, struct buf *text)
{
	for (size_t i = 0; i < p->secrets.count; i++)
		mask_value(text, str_of(p->secrets.texts[i]));
}
