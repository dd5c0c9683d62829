/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

enum { CONFIG_MAX = 1 << 20 };

static void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static char *join(const char *a, const char *b)
{
	char *text;

	if (asprintf(&text, "%s%s", a, b) < 0)
		abort();
	return text;
}

/* NULL when there is no home. */
static char *make_path(void)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (base && base[0] == '/')
		return join(base, "/abx/config.yaml");
	return home && home[0] == '/' ? join(home, "/.config/abx/config.yaml") : NULL;
}

void config_free(struct config *config)
{
	while (config->count)
		config_remove(config, &config->contexts[config->count - 1]);
	free(config->path);
	free(config->current);
	config->path = config->current = NULL;
}

struct context *config_find(struct config *config, const char *name)
{
	for (size_t i = 0; i < config->count; i++) {
		if (strcmp(config->contexts[i].name, name) == 0)
			return &config->contexts[i];
	}
	return NULL;
}

void config_remove(struct config *config, struct context *context)
{
	struct context *last = &config->contexts[config->count - 1];

	if (config->current && strcmp(config->current, context->name) == 0) {
		free(config->current);
		config->current = NULL;
	}
	free(context->name);
	free(context->url);
	free(context->token);
	memmove(context, context + 1, (size_t)(last - context) * sizeof *context);
	*last = (struct context){ 0 };
	config->count--;
}

static void replace(char **at, const char *value)
{
	char *copy = value ? mem_strdup(value) : NULL;

	free(*at);
	*at = copy;
}

int config_set(struct config *config, const char *name, const char *url, const char *token, struct problem *p)
{
	struct context *context = config_find(config, name);

	if (!context) {
		if (config->count == CONFIG_CONTEXTS_MAX)
			return problem_set(p, EXIT_OTHER, "there are %d contexts already", CONFIG_CONTEXTS_MAX);
		context = &config->contexts[config->count++];
		context->name = mem_strdup(name);
	}
	replace(&context->url, url);
	replace(&context->token, token);
	return 0;
}

static const char *scalar(yaml_node_t *node)
{
	return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static yaml_node_t *member(yaml_document_t *doc, yaml_node_t *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
		const char *name = scalar(yaml_document_get_node(doc, pair->key));

		if (name && strcmp(name, key) == 0)
			return yaml_document_get_node(doc, pair->value);
	}
	return NULL;
}

static int read_contexts(struct config *config, yaml_document_t *doc, yaml_node_t *map, struct problem *p)
{
	if (map->type != YAML_MAPPING_NODE)
		return problem_set(p, EXIT_OTHER, "'%s': 'contexts' is not a mapping", config->path);
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
		const char *name = scalar(yaml_document_get_node(doc, pair->key));
		yaml_node_t *value = yaml_document_get_node(doc, pair->value);
		const char *url = scalar(member(doc, value, "url"));

		if (!name || !url)
			return problem_set(p, EXIT_OTHER, "'%s': line %zu: a context needs a name and a url",
				config->path, value ? value->start_mark.line + 1 : 0);
		if (config_set(config, name, url, scalar(member(doc, value, "token")), p) < 0)
			return -1;
	}
	return 0;
}

static int read_document(struct config *config, yaml_document_t *doc, struct problem *p)
{
	yaml_node_t *root = yaml_document_get_root_node(doc), *contexts;

	if (!root)
		return 0;
	replace(&config->current, scalar(member(doc, root, "current")));
	contexts = member(doc, root, "contexts");
	return contexts ? read_contexts(config, doc, contexts, p) : 0;
}

static int check_file(struct config *config, FILE *file, struct problem *p)
{
	struct stat st;

	if (fstat(fileno(file), &st) < 0)
		return problem_errno(p, errno, "cannot read '%s'", config->path);
	if (!S_ISREG(st.st_mode) || st.st_size > CONFIG_MAX)
		return problem_set(p, EXIT_OTHER, "'%s' is not a configuration file", config->path);
	if (st.st_mode & 077)
		return problem_set(
			p, EXIT_OTHER, "'%s' may hold tokens and others may read it; 'chmod 600' it", config->path);
	return 0;
}

int config_read(struct config *ret_config, struct problem *p)
{
	CLEANUP(cleanup_file) FILE *file = NULL;
	yaml_parser_t parser;
	yaml_document_t doc;
	int failed;

	*ret_config = (struct config){ .path = make_path() };
	file = ret_config->path ? fopen(ret_config->path, "re") : NULL;
	if (!file)
		return !ret_config->path || errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : problem_errno(p, errno, "cannot read '%s'", ret_config->path);
	if (check_file(ret_config, file, p) < 0)
		return -1;
	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_file(&parser, file);
	if (!yaml_parser_load(&parser, &doc)) {
		failed = problem_set(p, EXIT_OTHER, "'%s': line %zu, column %zu: %s", ret_config->path,
			parser.problem_mark.line + 1, parser.problem_mark.column + 1, parser.problem);
	} else {
		failed = read_document(ret_config, &doc, p);
		yaml_document_delete(&doc);
	}
	yaml_parser_delete(&parser);
	return failed;
}

static int add_text(yaml_document_t *doc, const char *text, bool quoted)
{
	return yaml_document_add_scalar(doc, NULL, (yaml_char_t *)text, (int)strlen(text),
		quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE);
}

static void add_pair(yaml_document_t *doc, int map, const char *key, int value)
{
	yaml_document_append_mapping_pair(doc, map, add_text(doc, key, false), value);
}

static void build(const struct config *config, yaml_document_t *doc)
{
	int root, contexts;

	yaml_document_initialize(doc, NULL, NULL, NULL, 1, 1);
	root = yaml_document_add_mapping(doc, NULL, YAML_BLOCK_MAPPING_STYLE);
	if (config->current)
		add_pair(doc, root, "current", add_text(doc, config->current, true));
	contexts = yaml_document_add_mapping(doc, NULL, YAML_BLOCK_MAPPING_STYLE);
	for (size_t i = 0; i < config->count; i++) {
		const struct context *c = &config->contexts[i];
		int map = yaml_document_add_mapping(doc, NULL, YAML_BLOCK_MAPPING_STYLE);

		add_pair(doc, map, "url", add_text(doc, c->url, true));
		if (c->token)
			add_pair(doc, map, "token", add_text(doc, c->token, true));
		add_pair(doc, contexts, c->name, map);
	}
	add_pair(doc, root, "contexts", contexts);
}

static bool emit(const struct config *config, FILE *file)
{
	yaml_emitter_t emitter;
	yaml_document_t doc;
	bool good;

	if (!yaml_emitter_initialize(&emitter))
		abort();
	yaml_emitter_set_output_file(&emitter, file);
	yaml_emitter_set_unicode(&emitter, 1);
	build(config, &doc);
	/* The dump takes the document. */
	good = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, &doc) && yaml_emitter_close(&emitter);
	yaml_emitter_delete(&emitter);
	return good && fflush(file) == 0;
}

static void make_parents(const char *path)
{
	AUTOFREE char *copy = mem_strdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		/* What cannot be made shows when the file is opened. */
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			return;
		*slash = '/';
	}
}

int config_write(const struct config *config, struct problem *p)
{
	AUTOFREE char *temporary = NULL;
	CLEANUP(cleanup_file) FILE *file = NULL;
	int fd, saved;

	if (!config->path)
		return problem_set(p, EXIT_OTHER, "HOME is not set: there is no place for the configuration");
	make_parents(config->path);
	temporary = join(config->path, ".XXXXXX");
	fd = mkostemp(temporary, O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return problem_errno(p, errno, "cannot write '%s'", config->path);
	if (emit(config, file) && rename(temporary, config->path) == 0)
		return 0;
	saved = errno;
	unlink(temporary);
	return problem_errno(p, saved, "cannot write '%s'", config->path);
}
