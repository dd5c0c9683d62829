/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/gitignore.h"

#include "base/budget.h"
#include "ops/files/glob.h"

#include <errno.h>
#include <stdlib.h>

enum { RULES_FIRST = 16, RULES_MAX = 10000 };

struct gitignore_rule {
	struct str glob;
	bool keeps, folders_only, by_path; /* by_path: anchored to the folder of the file */
};

static int grow(struct gitignore *g)
{
	size_t cap = g->cap ? g->cap * 2 : RULES_FIRST;
	struct gitignore_rule *grown;

	if (!budget_take((cap - g->cap) * sizeof *grown))
		return -ENOMEM;
	grown = reallocarray(g->rules, cap, sizeof *grown);
	if (!grown) {
		budget_give((cap - g->cap) * sizeof *grown);
		return -ENOMEM;
	}
	g->rules = grown;
	g->cap = cap;
	return 0;
}

/* Blanks at the end mean nothing, but for one behind a backslash. */
static struct str without_blanks(struct str line)
{
	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;
	while (line.len && (line.p[line.len - 1] == ' ' || line.p[line.len - 1] == '\t')) {
		if (line.len > 1 && line.p[line.len - 2] == '\\')
			break;
		line.len--;
	}
	return line;
}

static bool parse_line(struct str line, struct gitignore_rule *rule)
{
	*rule = (struct gitignore_rule){ 0 };
	line = without_blanks(line);
	if (!line.len || line.p[0] == '#')
		return false;
	if (line.p[0] == '!') {
		rule->keeps = true;
		line.p++;
		line.len--;
	}
	if (line.len && line.p[line.len - 1] == '/') {
		rule->folders_only = true;
		line.len--;
	}
	rule->glob = line;
	rule->by_path = str_has(line, '/');
	return line.len > 0;
}

int gitignore_parse(struct gitignore *g, struct str text)
{
	*g = (struct gitignore){ 0 };
	while (text.len && g->count < RULES_MAX) {
		struct gitignore_rule rule;

		if (!parse_line(str_cut(&text, '\n'), &rule))
			continue;
		if (g->count == g->cap && grow(g) < 0)
			return -ENOMEM;
		g->rules[g->count++] = rule;
	}
	return 0;
}

void gitignore_free(struct gitignore *g)
{
	budget_give(g->cap * sizeof *g->rules);
	free(g->rules);
	*g = (struct gitignore){ 0 };
}

enum gitignore_says gitignore_ask(const struct gitignore *g, struct str path, bool is_folder)
{
	for (size_t i = g->count; i > 0; i--) {
		const struct gitignore_rule *rule = &g->rules[i - 1];

		if (rule->folders_only && !is_folder)
			continue;
		if (rule->by_path ? glob_matches_path(rule->glob, path) : glob_finds(rule->glob, path))
			return rule->keeps ? GITIGNORE_KEEP : GITIGNORE_IGNORE;
	}
	return GITIGNORE_NOTHING;
}
