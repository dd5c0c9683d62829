/* SPDX-License-Identifier: Apache-2.0 */
/* Of a repository's configuration only plain facts get through, whatever it is dressed as. */
#include "ops/devtools/git_config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void becomes(struct str text, const char *wanted)
{
	struct buf to;

	buf_init(&to, 64 * 1024);
	assert_int_equal(git_config_filter(text, &to), 0);
	assert_string_equal(to.data ? to.data : "", wanted);
	buf_free(&to);
}

static void refused(struct str text)
{
	struct buf to;

	buf_init(&to, 64 * 1024);
	assert_int_equal(git_config_filter(text, &to), -EINVAL);
	buf_free(&to);
}

static void facts(void **state)
{
	(void)state;
	becomes(STR("[core]\n\trepositoryformatversion = 0\n\tfileMode = true\n\tbare = false\n"),
		"[core]\n\trepositoryformatversion = \"0\"\n[core]\n\tfilemode = \"true\"\n");
	becomes(STR("[branch \"main\"]\r\n\tremote = origin\r\n\tmerge = refs/heads/main\r\n"),
		"[branch \"main\"]\n\tremote = \"origin\"\n[branch \"main\"]\n\tmerge = \"refs/heads/main\"\n");
	becomes(STR("[core] ignorecase ; a key alone is true\n"), "[core]\n\tignorecase\n");
	becomes(STR("[branch.Main]remote=o"), "[branch \"main\"]\n\tremote = \"o\"\n");
	becomes(STR("\xef\xbb\xbf[Core]\nEOL = lf # why\n"), "[core]\n\teol = \"lf\"\n");
	becomes(STR("[branch \"a\\\"b\\\\c\"]\nremote = \" a \"b  \\\n c ; x\n"),
		"[branch \"a\\\"b\\\\c\"]\n\tremote = \" a b   c\"\n");
	becomes(STR("[core]\nautocrlf = \"a\\nb\\t\"\n"), "[core]\n\tautocrlf = \"a\\nb\t\"\n");
	becomes(STR("[extensions]\nobjectFormat = sha256\nrefStorage = reftable\n"),
		"[extensions]\n\tobjectformat = \"sha256\"\n[extensions]\n\trefstorage = \"reftable\"\n");
	becomes(STR(""), "");
	becomes(STR("# only\n; remarks"), "");
}

static void nothing_that_runs(void **state)
{
	(void)state;
	becomes(STR("[core]\nfsmonitor = evil\nhooksPath = evil\npager = evil\nsshCommand = evil\nworktree = /etc\n"
		    "attributesFile = x\nexcludesFile = x\nalternateRefsCommand = evil\n"),
		"");
	becomes(STR("[filter \"x\"]\nclean = evil\nprocess = evil\n[diff]\nexternal = evil\n[diff \"x\"]\ntextconv = evil\ncommand = evil\n"),
		"");
	becomes(STR("[include]\npath = evil\n[includeIf \"gitdir:/\"]\npath = evil\n[alias]\nstatus = !evil\n"), "");
	becomes(STR("[extensions]\nworktreeConfig = true\npartialClone = origin\nrefStorage = files:///etc\n"), "");
	becomes(STR("[remote \"origin\"]\nurl = ext::evil\nvcs = evil\nuploadpack = evil\nfetch = +refs/heads/*:refs/remotes/origin/*\n"),
		"[remote \"origin\"]\n\tfetch = \"+refs/heads/*:refs/remotes/origin/*\"\n");
	/* A section with a name is not the plain one. */
	becomes(STR("[core \"x\"]\nfilemode = true\n[branch]\nremote = o\n"), "");
	/* Another section inside of a value or a name stays inside of it. */
	becomes(STR("[branch \"a]\\n[filter\"]\nremote = \"x\\n[filter \\\"y\\\"]\\nclean = evil\"\n"),
		"[branch \"a]n[filter\"]\n\tremote = \"x\\n[filter \\\"y\\\"]\\nclean = evil\"\n");
}

static void too_long(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, 64 * 1024);
	buf_adds(&text, "[core]\nfilemode = ");
	for (int i = 0; i < 5000; i++)
		buf_addc(&text, '1');
	buf_adds(&text, "\nsymlinks = true\n");
	becomes(buf_str(&text), "[core]\n\tsymlinks = \"true\"\n");
	buf_free(&text);
}

static void malformed(void **state)
{
	(void)state;
	refused(STR("[core\nfilemode = true\n"));
	refused(STR("filemode = true\n"));
	refused(STR("[core]\nfilemode = \"true\n"));
	refused(STR("[core]\nfilemode = \\x\n"));
	refused(STR("[core]\nfile mode = true\n"));
	refused(STR("[core]\n=x\n"));
	refused(STR("[branch \"a\nb\"]\nremote = x\n"));
	refused(STR("[branch \"a\" ]\nremote = x\n"));
	refused(STR("[core]\neol = l\0f\n"));
	refused(STR("[]\nx = y\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts),
		cmocka_unit_test(nothing_that_runs),
		cmocka_unit_test(too_long),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
