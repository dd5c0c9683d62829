/* SPDX-License-Identifier: Apache-2.0 */
#include "server/gen_client.h"

#include "catalog/gen_python.h"
#include "catalog/gen_typescript.h"
#include "catalog/openapi.h"
#include "catalog/print.h"

#include <errno.h>
#include <stdio.h>

enum { OUTPUT_MAX = 64 * 1024 * 1024, EXIT_USAGE = 2 };

static void python(struct buf *out)
{
	gen_python(out, PYTHON_PYDANTIC);
}

static void python_dicts(struct buf *out)
{
	gen_python(out, PYTHON_TYPEDDICT);
}

static void json(struct buf *out)
{
	struct json_writer w;

	json_write_init(&w, out);
	print_catalog(&w, NULL, NULL);
	buf_addc(out, '\n');
}

static void openapi(struct buf *out)
{
	static const struct openapi all = { .ops = ops_all };
	struct json_writer w;

	json_write_init(&w, out);
	openapi_document(&w, &all);
	buf_addc(out, '\n');
}

static const struct language {
	const char *name, *option, *variant;
	void (*write)(struct buf *out);
} languages[] = {
	{ "json", NULL, NULL, json },
	{ "openapi", NULL, NULL, openapi },
	{ "python", "--result-style", "pydantic", python },
	{ "python", "--result-style", "typeddict", python_dicts },
	{ "ts", "--part", "catalog", gen_typescript_catalog },
	{ "ts", "--part", "client", gen_typescript_client },
};

static int usage(void)
{
	fputs("usage: agent-sandbox-server gen-client --lang json|openapi|python|ts [-o FILE]\n"
	      "       with --lang python: [--result-style pydantic|typeddict], with --lang ts: [--part catalog|client]\n",
		stderr);
	return EXIT_USAGE;
}

static int save(const struct buf *out, const char *path)
{
	FILE *file = path ? fopen(path, "we") : stdout;
	bool good = file && fwrite(out->data, 1, out->len, file) == out->len && fflush(file) == 0;

	if (path && file && fclose(file) != 0)
		good = false;
	if (!good)
		fprintf(stderr, "agent-sandbox-server: gen-client: cannot write '%s': %s\n", path ? path : "-",
			strerrordesc_np(errno));
	return !good;
}

/* The first variant of a language is its default. */
static const struct language *find_language(const char *name, const char *option, const char *variant)
{
	for (size_t i = 0; name && i < ARRAY_LEN(languages); i++) {
		const struct language *one = &languages[i];

		if (strcmp(one->name, name) != 0)
			continue;
		if (!option || (one->option && strcmp(one->option, option) == 0 && strcmp(one->variant, variant) == 0))
			return one;
	}
	return NULL;
}

/* Clients have members of their own with these names. */
static int check_names(void)
{
	static const char *const taken[] = { "start", "register", "restart", "enable_builtin", "ext" };

	for (const struct op *const *op = ops_all; *op; op++) {
		struct str rest = str_of((*op)->id), first = str_cut(&rest, '.');

		for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
			if (!str_is(first, taken[i]))
				continue;
			fprintf(stderr, "agent-sandbox-server: gen-client: '%s': no op may be called so\n", (*op)->id);
			return 1;
		}
	}
	return 0;
}

int gen_client_main(char **args)
{
	const struct language *language;
	const char *name = NULL, *option = NULL, *variant = NULL, *path = NULL;
	AUTOBUF struct buf out;

	buf_init(&out, OUTPUT_MAX);
	for (; *args; args += 2) {
		if (strcmp(*args, "--lang") == 0)
			name = args[1];
		else if (strcmp(*args, "--result-style") == 0 || strcmp(*args, "--part") == 0)
			option = *args, variant = args[1];
		else if (strcmp(*args, "-o") == 0)
			path = args[1];
		else
			return usage();
		if (!args[1])
			return usage();
	}
	language = find_language(name, option, variant);
	if (!language)
		return usage();
	if (check_names())
		return 1;
	language->write(&out);
	return save(&out, path);
}
