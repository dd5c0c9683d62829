/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/yaml_tree.h"

#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	struct hold *hold;
	const char *name;
	struct str text;
	struct err *err;
};

static void done(struct reader *r)
{
	yaml_parser_delete(&r->parser);
}

static int fail_at(struct reader *r, yaml_mark_t mark, const char *reason)
{
	return err_set(r->err, ERR_ARGS_INVALID, "%s:%zu:%zu: %s", r->name, mark.line + 1, mark.column + 1, reason);
}

/* libyaml gives a byte offset, and no mark, for bytes that are not UTF-8. */
static yaml_mark_t mark_of_offset(struct str text, size_t offset)
{
	yaml_mark_t mark = { 0 };

	for (size_t i = 0; i < MIN(offset, text.len); i++) {
		mark.column++;
		if (text.p[i] == '\n') {
			mark.line++;
			mark.column = 0;
		}
	}
	return mark;
}

static int fail_parser(struct reader *r)
{
	const char *reason = r->parser.problem ? r->parser.problem : "not YAML";

	if (r->parser.error == YAML_MEMORY_ERROR)
		return err_set(r->err, ERR_BUSY, "%s: memory is used up", r->name);
	if (r->parser.error == YAML_READER_ERROR)
		return fail_at(r, mark_of_offset(r->text, r->parser.problem_offset), reason);
	return fail_at(r, r->parser.problem_mark, reason);
}

/* The next event, to be deleted by the caller. */
static int next_event(struct reader *r, yaml_event_t *event)
{
	return yaml_parser_parse(&r->parser, event) ? 0 : fail_parser(r);
}

static bool is_marked(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return true;
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor || event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor || event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor || event->data.mapping_start.tag;
	default:
		return false;
	}
}

static int take_scalar(struct reader *r, const yaml_event_t *event, const char **ret_text)
{
	struct str text = { (const char *)event->data.scalar.value, event->data.scalar.length };

	if (str_has(text, '\0'))
		return fail_at(r, event->start_mark, "a NUL has no place here");
	*ret_text = hold_text(r->hold, text);
	return 0;
}

static int read_node(struct reader *r, const yaml_event_t *event, unsigned depth, struct yaml_node **ret_node);

static int read_items(struct reader *r, struct yaml_node *list, unsigned depth)
{
	struct yaml_node **end = &list->first;

	for (;;) {
		CLEANUP(yaml_event_delete) yaml_event_t event = { 0 };

		if (next_event(r, &event) < 0)
			return -1;
		if (event.type == YAML_SEQUENCE_END_EVENT)
			return 0;
		if (read_node(r, &event, depth, end) < 0)
			return -1;
		end = &(*end)->next;
		list->count++;
	}
}

static int read_key(struct reader *r, const struct yaml_node *map, const yaml_event_t *event, const char **ret_key)
{
	const struct yaml_node *twin;

	if (is_marked(event))
		return fail_at(r, event->start_mark, "anchors, aliases and tags are not allowed");
	if (event->type != YAML_SCALAR_EVENT)
		return fail_at(r, event->start_mark, "a key must be a plain word");
	if (map->count >= YAML_TREE_KEYS)
		return fail_at(r, event->start_mark, "too many keys");
	if (take_scalar(r, event, ret_key) < 0)
		return -1;
	twin = yaml_tree_get(map, *ret_key);
	if (!twin)
		return 0;
	return err_set(r->err, ERR_ARGS_INVALID, "%s:%zu:%zu: the key '%.64s' stands on line %zu already", r->name,
		event->start_mark.line + 1, event->start_mark.column + 1, *ret_key, twin->line);
}

static int read_member(
	struct reader *r, struct yaml_node *map, const yaml_event_t *key, unsigned depth, struct yaml_node **end)
{
	CLEANUP(yaml_event_delete) yaml_event_t event = { 0 };
	const char *name;

	if (read_key(r, map, key, &name) < 0 || next_event(r, &event) < 0 || read_node(r, &event, depth, end) < 0)
		return -1;
	(*end)->key = name;
	(*end)->line = key->start_mark.line + 1;
	(*end)->column = key->start_mark.column + 1;
	map->count++;
	return 0;
}

static int read_members(struct reader *r, struct yaml_node *map, unsigned depth)
{
	struct yaml_node **end = &map->first;

	for (;;) {
		CLEANUP(yaml_event_delete) yaml_event_t event = { 0 };

		if (next_event(r, &event) < 0)
			return -1;
		if (event.type == YAML_MAPPING_END_EVENT)
			return 0;
		if (read_member(r, map, &event, depth, end) < 0)
			return -1;
		end = &(*end)->next;
	}
}

static int read_node(struct reader *r, const yaml_event_t *event, unsigned depth, struct yaml_node **ret_node)
{
	struct yaml_node *node = hold_new(r->hold, struct yaml_node);

	if (is_marked(event))
		return fail_at(r, event->start_mark, "anchors, aliases and tags are not allowed");
	if (depth >= YAML_TREE_DEPTH)
		return fail_at(r, event->start_mark, "nested too deeply");
	node->line = node->value_line = event->start_mark.line + 1;
	node->column = node->value_column = event->start_mark.column + 1;
	*ret_node = node;
	if (event->type == YAML_MAPPING_START_EVENT) {
		node->kind = YAML_MAP;
		return read_members(r, node, depth + 1);
	}
	if (event->type == YAML_SEQUENCE_START_EVENT) {
		node->kind = YAML_LIST;
		return read_items(r, node, depth + 1);
	}
	node->kind = YAML_SCALAR;
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return take_scalar(r, event, &node->text);
}

/* Goes on to the next event that is neither the stream's nor the document's beginning. */
static int first_event(struct reader *r, yaml_event_t *event)
{
	for (;;) {
		if (next_event(r, event) < 0)
			return -1;
		if (event->type != YAML_STREAM_START_EVENT && event->type != YAML_DOCUMENT_START_EVENT)
			return 0;
		yaml_event_delete(event);
	}
}

static int expect_end(struct reader *r)
{
	for (;;) {
		CLEANUP(yaml_event_delete) yaml_event_t event = { 0 };

		if (next_event(r, &event) < 0)
			return -1;
		if (event.type == YAML_STREAM_END_EVENT)
			return 0;
		if (event.type == YAML_DOCUMENT_START_EVENT)
			return fail_at(r, event.start_mark, "a second document has no place here");
	}
}

static int read_document(struct reader *r, struct yaml_node **ret_node)
{
	CLEANUP(yaml_event_delete) yaml_event_t event = { 0 };

	if (first_event(r, &event) < 0)
		return -1;
	if (event.type == YAML_STREAM_END_EVENT) {
		*ret_node = hold_new(r->hold, struct yaml_node);
		**ret_node = (struct yaml_node){
			.kind = YAML_MAP, .line = 1, .column = 1, .value_line = 1, .value_column = 1
		};
		return 0;
	}
	if (read_node(r, &event, 0, ret_node) < 0)
		return -1;
	return expect_end(r);
}

struct yaml_node *yaml_tree_parse(struct hold *hold, const char *name, struct str text, struct err *err)
{
	CLEANUP(done) struct reader r = { .hold = hold, .name = name, .text = text, .err = err };
	struct yaml_node *node = NULL;

	if (!yaml_parser_initialize(&r.parser)) {
		err_set(err, ERR_BUSY, "%s: memory is used up", name);
		return NULL;
	}
	if (text.len > YAML_TREE_BYTES) {
		err_set(err, ERR_ARGS_INVALID, "%s:1:1: larger than %d bytes", name, YAML_TREE_BYTES);
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.p ? text.p : ""), text.len);
	return read_document(&r, &node) < 0 ? NULL : node;
}

const struct yaml_node *yaml_tree_get(const struct yaml_node *map, const char *key)
{
	for (const struct yaml_node *node = map->first; node; node = node->next) {
		if (node->key && strcmp(node->key, key) == 0)
			return node;
	}
	return NULL;
}
