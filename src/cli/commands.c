/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

enum { GROUP_SIZE = 16 };

#define COMMAND(name) extern const struct command cli_##name;
#include "cli/commands.def"
#undef COMMAND

const struct command *const commands_all[] = {
#define COMMAND(name) &cli_##name,
#include "cli/commands.def"
#undef COMMAND
	NULL
};

const struct flag commands_shared_flags[] = {
	{ '\0', "url", "URL", "the server: http://HOST:PORT or unix:/PATH (ABX_URL)" },
	{ '\0', "token", "T", "the access token (ABX_SERVER_TOKEN)" },
	{ '\0', "context", "NAME", "a context of the configuration file" },
	{ '\0', "json", NULL, "print the JSON of the wire as it came" },
	{ 'q', "quiet", NULL, "no progress, no remarks" },
	{ 'h', "help", NULL, "show help" },
	{ '\0', "version", NULL, "show the version" },
	FLAGS_END,
};

static bool is_name(const char *name, size_t count, char *const *words, size_t *ret_used)
{
	const char *blank = strchr(name, ' ');
	size_t first = blank ? (size_t)(blank - name) : strlen(name);

	if (count == 0 || strlen(words[0]) != first || memcmp(words[0], name, first) != 0)
		return false;
	if (blank && (count < 2 || strcmp(words[1], blank + 1) != 0))
		return false;
	*ret_used = blank ? 2 : 1;
	return true;
}

const struct command *commands_find(size_t count, char *const *words, size_t *ret_used)
{
	for (size_t i = 0; commands_all[i]; i++) {
		if (is_name(commands_all[i]->name, count, words, ret_used))
			return commands_all[i];
	}
	return NULL;
}

bool commands_is_group(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; commands_all[i]; i++) {
		if (strncmp(commands_all[i]->name, word, len) == 0 && commands_all[i]->name[len] == ' ')
			return true;
	}
	return false;
}

const char *commands_nearest(const char *word)
{
	/* Each name, and the first word of each group. */
	static char groups[ARRAY_LEN(commands_all)][GROUP_SIZE];
	const char *names[2 * ARRAY_LEN(commands_all)];
	size_t count = 0;

	for (size_t i = 0; commands_all[i]; i++) {
		const char *name = commands_all[i]->name, *blank = strchr(name, ' ');

		names[count++] = name;
		if (blank && (i == 0 || strncmp(commands_all[i - 1]->name, name, (size_t)(blank - name) + 1) != 0)) {
			snprintf(groups[i], GROUP_SIZE, "%.*s", (int)(blank - name), name);
			names[count++] = groups[i];
		}
	}
	names[count] = NULL;
	return str_nearest(str_of(word), names);
}
