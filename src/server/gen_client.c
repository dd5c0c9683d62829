/* SPDX-License-Identifier: Apache-2.0 */
#include "server/gen_client.h"

#include "catalog/gen_python.h"
#include "catalog/openapi.h"
#include "catalog/print.h"

#include <errno.h>
#include <stdio.h>

enum { OUTPUT_MAX = 64 * 1024 * 1024, EXIT_USAGE = 2 };

static void json(struct buf *out)
{
	struct json_writer w;

	json_write_init(&w, out);
	print_catalog(&w, NULL, NULL);
	buf_addc(out, '\n');
}

static void openapi(struct buf *out)
{
	static const struct openapi all = { NULL, NULL };
	struct json_writer w;

	json_write_init(&w, out);
	openapi_document(&w, &all);
	buf_addc(out, '\n');
}

static const struct language {
	const char *name;
	void (*write)(struct buf *out);
} languages[] = {
	{ "json", json },
	{ "openapi", openapi },
	{ "python", gen_python },
};

static int usage(void)
{
	fputs("usage: agent-sandbox-server gen-client --lang json|openapi|python [-o FILE]\n", stderr);
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

static const struct language *find_language(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(languages); i++) {
		if (strcmp(languages[i].name, name) == 0)
			return &languages[i];
	}
	return NULL;
}

int gen_client_main(char **args)
{
	const struct language *language = NULL;
	const char *path = NULL;
	AUTOBUF struct buf out;

	buf_init(&out, OUTPUT_MAX);
	for (; *args; args += 2) {
		if (strcmp(*args, "--lang") == 0)
			language = find_language(args[1]);
		else if (strcmp(*args, "-o") == 0)
			path = args[1];
		else
			return usage();
		if (!args[1])
			return usage();
	}
	if (!language)
		return usage();
	language->write(&out);
	return save(&out, path);
}
