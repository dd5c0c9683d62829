/* SPDX-License-Identifier: Apache-2.0 */
#include "server/markdown.h"

#include "base/err.h"
#include "catalog/example.h"
#include "catalog/print.h"

#include <stdio.h>

enum { EXAMPLE_MAX = 64 * 1024 };

/* A cell of a table: what would end it is escaped. */
static void put_cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

static void put_type(const struct field *field)
{
	if (field->type == FIELD_ARRAY)
		printf("%s[]", field->item_type == FIELD_OBJECT ? field->item_name : field_type_name(field->item_type));
	else if (field->type == FIELD_OBJECT)
		fputs(field->item_name, stdout);
	else if (field->type == FIELD_MAP)
		fputs("object of strings", stdout);
	else if (field->type != FIELD_CHOICE)
		fputs(field_type_name(field->type), stdout);
	for (const char *const *choice = field->type == FIELD_CHOICE ? field->choices : NULL; choice && *choice;
		choice++)
		printf("%s`%s`", choice == field->choices ? "" : " ", *choice);
}

static void put_default(const struct field *field)
{
	if (field->flags & F_REQUIRED)
		fputs("required", stdout);
	else if (field->optional_type)
		return;
	else if (field->type == FIELD_INTEGER)
		printf("%lld", (long long)field->def);
	else if (field->type == FIELD_NUMBER)
		printf("%g", field->num_def);
	else if (field->type == FIELD_BOOLEAN)
		fputs(field->def ? "true" : "false", stdout);
	else if (field->type == FIELD_CHOICE)
		printf("`%s`", field->choices[field->def]);
	else if (field->def_text)
		printf("`%s`", field->def_text);
}

static void put_params(const struct op *op)
{
	if (!op->params || op->params->type == FIELD_NONE)
		return;
	fputs("\n| parameter | type | default | |\n|---|---|---|---|\n", stdout);
	for (const struct field *field = op->params; field->type != FIELD_NONE; field++) {
		printf("| `%s` | ", field->name);
		put_type(field);
		fputs(" | ", stdout);
		put_default(field);
		fputs(" | ", stdout);
		put_cell(field->text);
		fputs(" |\n", stdout);
	}
	for (const struct one_of *group = op->one_of; group && group->names[0]; group++) {
		fputs(group->optional ? "\nAt most one of" : "\nExactly one of", stdout);
		for (size_t i = 0; group->names[i]; i++)
			printf("%s `%s`", i ? "," : "", group->names[i]);
		fputs(".\n", stdout);
	}
}

static void put_fields(const struct field *fields, const char *prefix)
{
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		char below[128];

		printf("| `%s%s`%s | ", prefix, field->name, field->flags & F_REQUIRED ? "" : " (optional)");
		put_type(field);
		fputs(" | ", stdout);
		put_cell(field->text);
		fputs(" |\n", stdout);
		snprintf(below, sizeof below, "%s%s%s.", prefix, field->name, field->type == FIELD_ARRAY ? "[]" : "");
		put_fields(field->fields, below);
	}
}

static void put_result(const struct op *op)
{
	if (op->result) {
		fputs("\n| result | type | |\n|---|---|---|\n", stdout);
		put_fields(op->result, "");
	}
	if (op->events)
		fputs("\n| event | type | |\n|---|---|---|\n", stdout);
	for (const struct event *event = op->events; event && event->name; event++) {
		char below[64];

		printf("| **%s**%s | | %s |\n", event->name, event->final ? " (the last one)" : "", event->text);
		snprintf(below, sizeof below, "%s.", event->name);
		put_fields(event->fields, below);
	}
}

static void put_errors(const struct op *op)
{
	if (!op->errors || op->errors[0] == ERR_NONE)
		return;
	fputs("\nErrors:", stdout);
	for (const enum err_code *code = op->errors; *code != ERR_NONE; code++)
		printf("%s `%s`", code == op->errors ? "" : ",", err_info(*code)->wire_code);
	fputs(".\n", stdout);
}

static void put_op_limits(const struct op *op)
{
	if (!op->limits || !op->limits->name)
		return;
	fputs("\n| limit | default | cap | error | |\n|---|---|---|---|---|\n", stdout);
	for (const struct limit *limit = op->limits; limit->name; limit++)
		printf("| `%s` | %lld | %lld | %s | %s |\n", limit->name, (long long)limit->def, (long long)limit->cap,
			limit->code == ERR_NONE ? "" : err_info(limit->code)->wire_code, limit->text);
}

static void put_fence(const char *language, const char *text)
{
	printf("\n```%s\n%s```\n", language, text);
}

static void put_examples(const struct op *op)
{
	for (enum example_form form = EXAMPLE_CURL; form < EXAMPLE_FORMS; form++) {
		AUTOBUF struct buf text;

		buf_init(&text, EXAMPLE_MAX);
		example_write(&text, op, form);
		put_fence(example_fences[form], text.data);
	}
}

static void put_op(const struct op *op)
{
	printf("\n## %s\n\n`%s %s`", op->id, op->method, op->path);
	if (op->also)
		printf(", `%s %s`", op->method, op->also);
	printf(" · `POST /ops/%s` · scope %s%s%s", op->id, op->scope ? "`" : "none", op->scope ? op->scope : "",
		op->scope ? "`" : "");
	if (op->endpoint)
		printf(" · endpoint id `%s`", op->endpoint);
	printf("\n\n%s %s\n", op->summary, op->description ? op->description : "");
	put_params(op);
	put_result(op);
	put_errors(op);
	put_op_limits(op);
	put_examples(op);
}

static void put_mark(void)
{
	printf("<!-- Catalog %d, %s. Printed by `agent-sandbox-server describe --markdown`: do not edit. -->\n",
		CATALOG_VERSION, print_digest());
}

static void put_setup(void)
{
	fputs("\n## Before the examples\n\n"
	      "`ABX_URL` and `ABX_SERVER_TOKEN` are in the environment, the demo folder of [the index](../reference.md) is there, and\n"
	      "first come these lines. Python is that of `python3 -m asyncio`, or inside an `async def`.\n",
		stdout);
	for (enum example_form form = EXAMPLE_CURL; form < EXAMPLE_FORMS; form++) {
		if (example_setup[form][0])
			put_fence(example_fences[form], example_setup[form]);
	}
}

/* A heading's anchor is its text without dots. */
static void put_entry(const struct op *op)
{
	printf("- [%s](#", op->id);
	for (const char *at = op->id; *at; at++) {
		if (*at != '.')
			putchar(*at);
	}
	printf("): %s\n", op->summary);
}

void markdown_group(const char *group)
{
	put_mark();
	printf("# Group %s\n\n", group);
	for (const struct op *const *op = ops_all; *op; op++) {
		if (strcmp((*op)->group, group) == 0)
			put_entry(*op);
	}
	put_setup();
	for (const struct op *const *op = ops_all; *op; op++) {
		if (strcmp((*op)->group, group) == 0)
			put_op(*op);
	}
}

void markdown_op(const struct op *op)
{
	put_op(op);
}

/* --- the index --- */

static bool is_first_of_its_group(const struct op *const *op)
{
	for (const struct op *const *other = ops_all; other < op; other++) {
		if (strcmp((*other)->group, (*op)->group) == 0)
			return false;
	}
	return true;
}

void markdown_each_group(void (*put)(const char *group))
{
	for (const struct op *const *op = ops_all; *op; op++) {
		if (is_first_of_its_group(op))
			put((*op)->group);
	}
}

static void put_group_row(const char *group)
{
	bool comma = false;

	printf("| [%s](reference/%s.md) | ", group, group);
	for (const struct op *const *op = ops_all; *op; op++) {
		if (strcmp((*op)->group, group) != 0)
			continue;
		printf("%s`%s`", comma ? ", " : "", (*op)->id);
		comma = true;
	}
	fputs(" |\n", stdout);
}

static void put_limits(void)
{
	fputs("\n## Limits\n\nA policy may set each between 0 and its cap (docs/policy.md).\n\n"
	      "| op | limit | default | cap | error | |\n|---|---|---|---|---|---|\n",
		stdout);
	for (const struct op *const *op = ops_all; *op; op++) {
		for (const struct limit *limit = (*op)->limits; limit && limit->name; limit++)
			printf("| %s | `%s` | %lld | %lld | %s | %s |\n", (*op)->id, limit->name, (long long)limit->def,
				(long long)limit->cap, limit->code == ERR_NONE ? "" : err_info(limit->code)->wire_code,
				limit->text);
	}
}

static void put_error_table(void)
{
	fputs("\n## Errors\n\n| wire_code | status | code | type | client exception | |\n|---|---|---|---|---|---|\n",
		stdout);
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
		const struct err_info *info = err_info(code);

		printf("| `%s` | %d | `%s` | %s | %s (%s) | %s |\n", info->wire_code, info->status, info->code,
			info->type, info->exception, info->ecode, info->meaning);
	}
}

void markdown_index(void)
{
	put_mark();
	fputs("# Reference\n\nA page for each group of ops. Every path parameter has a twin with `_b64` behind its name, for bytes that are\n"
	      "not UTF-8.\n\n| group | ops |\n|---|---|\n",
		stdout);
	markdown_each_group(put_group_row);
	fputs("\n## Examples\n\n"
	      "Each op has an example for curl, `abx`, Python and TypeScript; a test runs all of them. They expect `ABX_URL`\n"
	      "(`http://127.0.0.1:9000`) and `ABX_SERVER_TOKEN` in the environment, a server whose policy has `profile: full_access`, `jq`,\n"
	      "and this demo folder in the server's base folder, with two files beside you:\n",
		stdout);
	put_fence("sh", example_demo);
	put_limits();
	put_error_table();
}
