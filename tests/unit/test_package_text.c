/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of packages as package managers write them. */
#include "ops/system/package_text.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct buf found;

static void add(void *user, struct str name, struct str version)
{
	(void)user;
	buf_addf(&found, STR_FMT "=" STR_FMT ";", STR_ARG(name), (int)version.len, version.len ? version.p : "");
}

static void expect(const char *wanted)
{
	assert_string_equal(found.data ? found.data : "", wanted);
	buf_free(&found);
}

static void dpkg(void **state)
{
	(void)state;
	package_parse_dpkg(
		STR("Package: bash\nStatus: install ok installed\nVersion: 5.2-1\nDescription: a shell\n Package: none\n .\n"
		    " more\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n\n"
		    "Package: half\nStatus: install ok half-installed\nVersion: 2\n\nStatus: install ok installed\nVersion: 3\n\n"
		    "Package: last\nStatus: hold ok installed\nVersion: 1:2~3+b"),
		add, NULL);
	expect("bash=5.2-1;last=1:2~3+b;");
	package_parse_dpkg(STR("Package: tzdata\nVersion: 2024a\n"), add, NULL);
	expect("tzdata=2024a;");
	package_parse_dpkg(STR(""), add, NULL);
	expect("");
}

static void apk(void **state)
{
	(void)state;
	package_parse_apk(STR("C:Q1abc=\nP:musl\nV:1.2.4-r2\nA:x86_64\n\nP:busybox\nV:1.36\n"), add, NULL);
	expect("musl=1.2.4-r2;busybox=1.36;");
	package_parse_apk(STR("V:1\n\n\n"), add, NULL);
	expect("");
}

static void json_of(void (*parse)(struct arena *arena, char *text, size_t len, package_fn *fn, void *user),
	const char *text, const char *wanted)
{
	struct arena arena;
	char copy[512];

	arena_init(&arena, 1 << 20);
	snprintf(copy, sizeof copy, "%s", text);
	parse(&arena, copy, strlen(copy), add, NULL);
	expect(wanted);
	arena_free(&arena);
}

static void pip_and_npm(void **state)
{
	(void)state;
	json_of(package_parse_pip,
		"[{\"name\": \"pip\", \"version\": \"23.0\"}, {\"name\": \"x\"}, {\"version\": \"1\"}, 5]\n",
		"pip=23.0;x=;");
	json_of(package_parse_npm,
		"{\"name\": \"lib\", \"dependencies\": {\"npm\": {\"version\": \"9.2.0\"}, \"bad\": {\"missing\": true}}}",
		"npm=9.2.0;bad=;");
	json_of(package_parse_npm, "{}", "");
	json_of(package_parse_npm, "{\"dependencies\": []}", "");
	json_of(package_parse_pip, "{}", "");
	json_of(package_parse_pip, "WARNING: no", "");
}

static void cargo(void **state)
{
	(void)state;
	package_parse_cargo(
		STR("ripgrep v13.0.0:\n    rg\nlocal v0.1.0 (/home/user/local):\n    local\nnot a line\n"), add, NULL);
	expect("ripgrep=13.0.0;local=0.1.0;");
}

static int set_up(void **state)
{
	(void)state;
	buf_init(&found, 64 * 1024);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dpkg),
		cmocka_unit_test(apk),
		cmocka_unit_test(pip_and_npm),
		cmocka_unit_test(cargo),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
