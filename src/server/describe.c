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

int describe_main(char **args)
{
	const struct op *one = NULL;
	bool json = false, markdown = false;

	for (; *args; args++) {
		if (strcmp(*args, "--errors") == 0)
			return print(all_errors, NULL);
		if (strcmp(*args, "--json") == 0) {
			json = true;
			continue;
		}
		if (strcmp(*args, "--markdown") == 0) {
			markdown = true;
			continue;
		}
		one = op_find(str_of(*args));
		if (!one) {
			fprintf(stderr, "agent-sandbox-server: describe: no op '%s'; without a name all are listed\n",
				*args);
			return EXIT_USAGE;
		}
	}
	if (markdown) {
		markdown_print(one);
		return fflush(stdout) != 0;
	}
	return json ? print(ops, (void *)one) : print_list(one);
}
