/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include "cli/term.h"

#include <stdio.h>

int show_call(struct cli *cli, const char *op, struct str args, bool is_read, struct reply *ret_reply)
{
	struct api *api = cli_api(cli);

	*ret_reply = (struct reply){ 0 };
	if (!api || api_call(api, op, args, is_read, ret_reply, &cli->problem) < 0)
		return -1;
	if (cli->json)
		return cli_print_json(cli, ret_reply) < 0 ? -1 : 1;
	return reply_parse(api, ret_reply, &cli->problem);
}

static struct str text_of(const struct json *value)
{
	if (!value || value->type == JSON_NULL)
		return STR("-");
	if (value->type == JSON_BOOL)
		return str_of(value->boolean ? "true" : "false");
	return value->text;
}

struct str show_text(const struct json *object, const char *key)
{
	return text_of(json_get(object, key));
}

void show_members(const struct json *object)
{
	for (const struct json *m = object->first; m; m = m->next) {
		if (m->type == JSON_ARRAY || m->type == JSON_OBJECT)
			continue;
		term_print(m->key);
		fputs(": ", stdout);
		term_print(text_of(m));
		putchar('\n');
	}
}

void show_cell(struct str text, int width)
{
	term_print(text);
	if (width)
		printf("%*s", width > (int)text.len ? width - (int)text.len : 1, "");
}
