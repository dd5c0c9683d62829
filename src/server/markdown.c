/* SPDX-License-Identifier: Apache-2.0 */
#include "server/markdown.h"

#include "base/err.h"
#include "catalog/print.h"

#include <stdio.h>

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

static void put_op(const struct op *op)
{
	printf("\n### %s\n\n`%s %s`", op->id, op->method, op->path);
	if (op->also)
		printf(", `%s %s`", op->method, op->also);
	printf(" · `POST /ops/%s` · scope %s%s%s", op->id, op->scope ? "`" : "none", op->scope ? op->scope : "",
		op->scope ? "`" : "");
	if (op->endpoint)
		printf(" · endpoint id `%s`", op->endpoint);
	printf("\n\n%s %s\n", op->summary, op->description);
	put_params(op);
	put_result(op);
	put_errors(op);
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

void markdown_print(const struct op *only)
{
	const char *group = "";

	if (!only)
		printf("<!-- Catalog %d, %s. Printed by `agent-sandbox-server describe --markdown`: do not edit. -->\n"
		       "# Reference\n\nEvery path parameter has a twin with `_b64` behind its name, for bytes that are not UTF-8.\n",
			CATALOG_VERSION, print_digest());
	for (const struct op *const *op = ops_all; *op; op++) {
		if (only && only != *op)
			continue;
		if (!only && strcmp(group, (*op)->group) != 0)
			printf("\n## Group %s\n", (*op)->group);
		group = (*op)->group;
		put_op(*op);
	}
	if (!only) {
		put_limits();
		put_error_table();
	}
}
