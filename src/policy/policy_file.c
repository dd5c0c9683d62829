/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/policy_file.h"

#include "policy/row.h"
#include "policy/yaml_file.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_MAX = 256, TEXT_MAX = 8192 };

static const char *const no_texts[] = { NULL };
static const char *const any_host[] = { "*", NULL };
static const char *const default_inherit[] = { "PATH", "HOME", "USER", "SHELL", "LANG", "LC_*", "TERM", "TZ", NULL };
static const int default_signals[] = { 1, 2, 3, 9, 10, 12, 15, 18, 19, 20 };

static struct config *config_new(const char *name)
{
	struct config *c = mem_new(struct config);

	c->version = 1;
	c->file = name ? hold_text(&c->hold, str_of(name)) : NULL;
	c->server.shutdown_grace = 10;
	c->limits.max_body_bytes = 10485760;
	c->limits.max_memory_bytes = 67108864;
	c->limits.max_connections = 1024;
	c->limits.max_watchers = 64;
	c->process.users = c->process.read = c->cors.origins = no_texts;
	c->process.umask = 022;
	c->process.inherit = default_inherit;
	for (size_t i = 0; i < ARRAY_LEN(default_signals); i++)
		c->process.signals |= UINT64_C(1) << default_signals[i];
	c->browser.path = c->audit.file = "";
	c->browser.idle_timeout = 300;
	c->browser.allow_hosts = any_host;
	return c;
}

void policy_file_free(struct config *config)
{
	if (!config)
		return;
	hold_free(&config->hold);
	free(config);
}

static int check_token(struct row_reader *r, const struct yaml_node *node, const struct token_config *tokens, size_t at)
{
	const struct token_config *token = &tokens[at];

	if (!token->name)
		return row_fail(r, node, "a token without a name");
	if (!token->sha256)
		return row_fail(r, node, "the token '%s' has no sha256", token->name);
	if (!token->scopes)
		return row_fail(r, node, "the token '%s' has no scopes; '[\"*\"]' is all of them", token->name);
	for (size_t i = 0; i < at; i++) {
		if (strcmp(tokens[i].name, token->name) == 0)
			return row_fail(r, node, "two tokens are called '%s'", token->name);
		if (memcmp(tokens[i].hash, token->hash, TOKEN_HASH_SIZE) == 0)
			return row_fail(r, node, "'%s' and '%s' are the same token", tokens[i].name, token->name);
	}
	return 0;
}

int row_tokens(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct list *list = to;
	struct token_config *tokens;

	(void)row;
	if (row_want(r, node, YAML_LIST, "a list of tokens") < 0)
		return -1;
	if (node->count > YAML_TREE_KEYS)
		return row_fail(r, node, "more than %d tokens", YAML_TREE_KEYS);
	tokens = hold_array(r->hold, struct token_config, node->count + 1);
	*list = (struct list){ .items = tokens };
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		struct token_config *token = &tokens[list->count];

		token->line = item->line;
		if (row_read_map(r, row_token, "", item, token) < 0)
			return -1;
		if (token->sha256 && token_parse_digest(str_of(token->sha256), token->hash) < 0)
			return -1; /* row_digest() has refused it before */
		if (check_token(r, item, tokens, list->count) < 0)
			return -1;
		list->count++;
	}
	return 0;
}

static void cleanup_config(struct config **config)
{
	policy_file_free(*config);
}

static void digest(struct config *config, struct str text)
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, text.len, (const uint8_t *)text.p);
	sha256_digest(&sha, sizeof config->digest, config->digest);
}

struct config *policy_file_parse(const char *name, struct str text, struct err *err)
{
	CLEANUP(cleanup_config) struct config *config = config_new(name);
	struct row_reader r = { .file = config->file, .hold = &config->hold, .err = err };

	digest(config, text);
	config->tree = yaml_tree_parse(&config->hold, config->file, text, err);
	if (!config->tree || row_read_map(&r, row_file, "", config->tree, config) < 0)
		return NULL;
	return take_ptr(config);
}

struct config *policy_file_load(const char *path, struct err *err)
{
	AUTOBUF struct buf text;

	yaml_file_buf(&text);
	if (!path)
		return config_new(NULL);
	if (yaml_file_read(path, "policy file", &text, err) < 0)
		return NULL;
	return policy_file_parse(path, buf_str(&text), err);
}

static const struct yaml_node *item_at(const struct yaml_node *list, struct str index)
{
	const struct yaml_node *item = list->first;
	uint64_t number;

	if (str_to_u64(index, &number) < 0)
		return NULL;
	while (item && number--)
		item = item->next;
	return item;
}

/* The member whose key, or the token whose name, begins the path; keys may hold dots themselves ("files.delete"). */
static const struct yaml_node *step(const struct yaml_node *node, const char **path)
{
	if (**path == '[') {
		struct str rest = str_of(*path + 1);
		struct str index = str_cut(&rest, ']');

		*path = rest.p;
		return node->kind == YAML_LIST ? item_at(node, index) : NULL;
	}
	*path += **path == '.';
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		const struct yaml_node *name = child->kind == YAML_MAP && !child->key ? yaml_tree_get(child, "name")
										      : NULL;
		const char *key = name && name->kind == YAML_SCALAR ? name->text : child->key;
		size_t len = key ? strlen(key) : 0;

		if (len && strncmp(*path, key, len) == 0 && strchr(".[", (*path)[len])) {
			*path += len;
			return child;
		}
	}
	return NULL;
}

static const struct yaml_node *find_node(const struct config *config, const char *path)
{
	const struct yaml_node *node = *path ? config->tree : NULL;

	while (node && *path)
		node = step(node, &path);
	return node;
}

size_t policy_file_line(const struct config *config, const char *rule)
{
	const struct yaml_node *node = find_node(
		config, str_starts(str_of(rule), "policy:") ? rule + strlen("policy:") : rule);

	return node ? node->line : 0;
}

void policy_file_place(const struct config *config, struct err *err)
{
	char key[KEY_MAX];
	AUTOBUF struct buf text;
	const struct yaml_node *node;

	buf_init(&text, TEXT_MAX);
	snprintf(key, sizeof key, "%.*s", (int)strcspn(err->text, ": "), err->text);
	node = find_node(config, key);
	if (!node)
		return;
	buf_addf(&text, "%s:%zu:%zu: %s", config->file, node->value_line, node->value_column, err->text);
	snprintf(err->text, sizeof err->text, STR_FMT, STR_ARG(buf_str(&text)));
}
