/* SPDX-License-Identifier: Apache-2.0 */
#include "server/describe.h"

#include "catalog/print.h"
#include "server/markdown.h"

#include <stdio.h>

enum { OUTPUT_MAX = 64 * 1024 * 1024, EXIT_USAGE = 2 };

static bool only(const struct op *op, void *user)
{
	return op == user;
}

static int print(void (*what)(struct json_writer *w, void *user), void *user)
{
	AUTOBUF struct buf out;
	struct json_writer w;

	buf_init(&out, OUTPUT_MAX);
	json_write_init(&w, &out);
	what(&w, user);
	buf_addc(&out, '\n');
	return buf_failed(&out) || fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0;
}

static void all_errors(struct json_writer *w, void *user)
{
	(void)user;
	print_errors(w);
}

static void ops(struct json_writer *w, void *user)
{
	print_catalog(w, user ? only : NULL, user);
}

/* For people: a line an op. */
static int print_list(const struct op *one)
{
	for (const struct op *const *op = ops_all; *op; op++) {
		if (!one || one == *op)
			printf("%-24s %-6s %-32s %s\n", (*op)->id, (*op)->method, (*op)->path, (*op)->summary);
	}
	return 0;
}

static bool is_group(const char *name)
{
	for (const struct op *const *op = ops_all; *op; op++) {
		if (strcmp((*op)->group, name) == 0)
			return true;
	}
	return false;
}

/* All pages, one page, or one op. */
static int print_markdown(const char *name, const struct op *op)
{
	if (op)
		markdown_op(op);
	else if (name && strcmp(name, "index") == 0)
		markdown_index();
	else if (name)
		markdown_group(name);
	else {
		markdown_index();
		markdown_each_group(markdown_group);
	}
	return fflush(stdout) != 0;
}

static int no_such(const char *name, bool markdown)
{
	fprintf(stderr, "agent-sandbox-server: describe: no op %s'%s'; without a name all are listed\n",
		markdown ? "or group " : "", name);
	return EXIT_USAGE;
}

int describe_main(char **args)
{
	const char *name = NULL;
	const struct op *one;
	bool json = false, markdown = false;

	for (; *args; args++) {
		if (strcmp(*args, "--errors") == 0)
			return print(all_errors, NULL);
		if (strcmp(*args, "--json") == 0)
			json = true;
		else if (strcmp(*args, "--markdown") == 0)
			markdown = true;
		else
			name = *args;
	}
	one = name ? op_find(str_of(name)) : NULL;
	if (name && !one && !(markdown && (is_group(name) || strcmp(name, "index") == 0)))
		return no_such(name, markdown);
	if (markdown)
		return print_markdown(name, one);
	return json ? print(ops, (void *)one) : print_list(one);
}
