/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest: each key with what it takes and refuses, where the messages point, and that docs/custom-commands.md has them all. */
#include "custom/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "some_ops.h"

static struct manifest *parse(const char *text, struct err *err)
{
	return manifest_parse("/c/m.yaml", str_of(text), NULL, err);
}

static void refuses(const char *text, const char *says)
{
	struct err err = { 0 };
	struct manifest *m = parse(text, &err);

	if (m)
		fail_msg("taken: %s", text);
	if (strncmp(err.text, "/c/m.yaml:", 10) != 0 || strcmp(err.text + 10, says) != 0)
		fail_msg("\n  said   %s\n  wanted /c/m.yaml:%s", err.text, says);
}

static void a_whole_command(void **state)
{
	struct err err = { 0 };
	struct manifest *m = parse("name: grade-all\n"
				   "description: |\n  Grade.\n  All.\n"
				   "hidden: true\n"
				   "timeout: 2.5\n"
				   "args:\n"
				   "  - {name: who, description: Whom.}\n"
				   "  - {name: points, type: integer, default: 010}\n"
				   "run: [./grade, '{who}']\n",
		&err);

	(void)state;
	assert_null(m);
	m = parse("name: grade-all\n"
		  "description: |\n  Grade.\n  All.\n"
		  "hidden: true\n"
		  "timeout: 2.5\n"
		  "args:\n"
		  "  - {name: who, description: Whom.}\n"
		  "  - {name: points, type: integer, default: 10}\n"
		  "  - {name: text, default: 10}\n"
		  "  - {name: list, type: array, default: [1, a, 'true', true, null, {b: -0.5}]}\n"
		  "  - {name: maybe, type: object, default: null}\n"
		  "run: [./grade, '{who}', 'p={points}']\n"
		  "stdin: json\nresult: json\ncwd: work\nenv: {A: '1'}\n",
		&err);
	if (!m)
		fail_msg("%s", err.text);
	assert_string_equal(m->file, "m.yaml");
	assert_string_equal(m->name, "grade-all");
	assert_string_equal(m->description, "Grade.\nAll.\n");
	assert_true(m->hidden && m->timeout == 2.5 && m->run.count == 3 && !m->worker);
	assert_true(m->input == MANIFEST_STDIN_JSON && m->result == MANIFEST_RESULT_JSON);
	assert_string_equal(m->cwd, "/c/work");
	assert_int_equal(m->env.count, 1);
	assert_int_equal(m->args.count, 5);
	assert_true(m->args.items[0].required && !m->args.items[1].required && !m->args.items[4].required);
	assert_string_equal(m->args.items[1].def_json, "10");
	assert_string_equal(m->args.items[2].def_json, "\"10\"");
	assert_string_equal(m->args.items[3].def_json, "[1,\"a\",\"true\",true,null,{\"b\":-0.5}]");
	assert_null(m->args.items[4].def_json);
	manifest_unref(m);
}

static void a_worker(void **state)
{
	struct err err = { 0 };
	struct manifest *m = parse("worker: [python3, w.py]\nstart_timeout: 20\n", &err), *same, *other;

	(void)state;
	assert_non_null(m);
	assert_string_equal(m->worker[1], "w.py");
	assert_true(m->start_timeout == 20 && m->timeout == 300 && !m->cwd);
	same = parse("worker: [python3, w.py]\nstart_timeout: 20\n", &err);
	other = parse("worker: [python3, w.py]\nstart_timeout: 21\n", &err);
	assert_true(manifest_is_same(m, same) && !manifest_is_same(m, other));
	manifest_unref(m);
	manifest_unref(same);
	manifest_unref(other);
}

static void refused(void **state)
{
	(void)state;
	refuses("", "1:1: 'run' or 'worker' is wanted: what is to be done");
	refuses("- a", "1:1: a map of keys is wanted here, not a list");
	refuses("nmae: x", "1:1: unknown key 'nmae', did you mean 'name'?");
	refuses("run: [a]\nrun: [b]", "2:1: the key 'run' stands on line 1 already");
	refuses("name: call\nrun: [a]",
		"1:7: a name like 'grade-all' is wanted here: small letters, digits, '-' and '_', not 'list' or 'call'; not 'call'");
	refuses("name: x\nrun: ['']", "2:7: a program is wanted here, and there is nothing");
	refuses("name: x\nrun: [a, b, '{c}']", "2:13: there is no argument 'c' among args");
	refuses("name: x\nargs:\n  - {name: a, typ: string}\nrun: [a]",
		"3:15: unknown key 'typ', did you mean 'type'?");
	refuses("name: x\nargs:\n  - {name: a-b}\nrun: [a]",
		"3:12: a name of letters, digits and '_' is wanted here, not 'a-b'");
	refuses("name: x\nargs:\n  - {name: a, type: boolean, default: yes}\nrun: [a]",
		"3:39: the default of 'a' must be a boolean");
	refuses("name: x\nargs:\n  - {name: a, default: [1]}\nrun: [a]", "3:24: the default of 'a' must be a string");
	refuses("worker: [a]\nresult: json", "2:1: 'result' is not of a worker: its commands tell it themselves");
	refuses("name: x\nrun: [a]\ntimeout: 86401", "3:10: a number from 0 to 86400 is wanted here, not 86401");
	refuses("name: x\nrun: [a]\nresult: xml", "3:9: one of text, json is wanted here, not 'xml'");
	refuses("name: x\nrun: [a]\ncwd: ''", "3:6: a folder is wanted here, and there is nothing");
}

static void find_rows(const struct row *rows, const char *page)
{
	for (const struct row *row = rows; row->key; row++) {
		char line[512];

		snprintf(line, sizeof line, "| `%s` | %s%s%s | %s |", row->key, row->def[0] ? "`" : "", row->def,
			row->def[0] ? "`" : "", row->text);
		if (!strstr(page, line))
			fail_msg("docs/custom-commands.md lacks the line\n%s", line);
	}
}

static void docs(void **state)
{
	static char page[64 * 1024];
	FILE *file = fopen("docs/custom-commands.md", "r");

	(void)state;
	assert_non_null(file);
	page[fread(page, 1, sizeof page - 1, file)] = '\0';
	fclose(file);
	find_rows(row_manifest, page);
	find_rows(row_manifest_arg, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_command),
		cmocka_unit_test(a_worker),
		cmocka_unit_test(refused),
		cmocka_unit_test(docs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
