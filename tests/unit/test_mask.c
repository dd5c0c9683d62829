/* SPDX-License-Identifier: Apache-2.0 */
/* What a command line may hold that nobody should read again. */
#include "policy/mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void by_value(void **state)
{
	AUTOBUF struct buf text;

	(void)state;
	buf_init(&text, 1024);
	buf_adds(&text, "a s3cret, s3cret and s3cre");
	mask_value(&text, STR("s3cret"));
	mask_value(&text, STR(""));
	assert_int_equal(text.len, strlen("a ***, *** and s3cre"));
	assert_memory_equal(text.data, "a ***, *** and s3cre", text.len);
}

static void check(const char *given, const char *wanted)
{
	AUTOBUF struct buf masked;
	struct mask_carry carry = { 0 };

	buf_init(&masked, 4096);
	mask_credentials(&masked, str_of(given), &carry);
	buf_addc(&masked, '\0');
	if (strcmp(masked.data, wanted) != 0)
		fail_msg("\n  given  %s\n  masked %s\n  wanted %s", given, masked.data, wanted);
}

static void by_shape(void **state)
{
	(void)state;
	check("API_TOKEN=abc make", "API_TOKEN=*** make");
	check("export AWS_SECRET_ACCESS_KEY='a b' X=1", "export AWS_SECRET_ACCESS_KEY=*** X=1");
	check("PGPASSWORD=\"x\\\"y\" psql", "PGPASSWORD=*** psql");
	check("mysql --password hunter2 -h db", "mysql --password *** -h db");
	check("mysql --password=hunter2;true", "mysql --password=***;true");
	check("x --token\thunter2", "x --token\t***");
	check("curl -H 'Authorization: Bearer abc.def' http://x", "curl -H 'Authorization: ***' http://x");
	check("curl -H \"X-Api-Key: abc\" y", "curl -H \"X-Api-Key: ***\" y");
	check("curl -H \"Cookie: a=b; c=d\" y", "curl -H \"Cookie: ***\" y");
	check("say Bearer abc now", "say Bearer *** now");
	check("git clone https://me:pa@ss@host/x.git", "git clone https://***@host/x.git");
	check("curl -u admin:pw --user=a:b z", "curl -u admin:*** --user=a:*** z");
	check("echo '{\"password\": \"x\", \"user\": \"y\"}'", "echo '{\"password\": ***, \"user\": \"y\"}'");
	check("curl 'http://h/?access_token=abc&page=2'", "curl 'http://h/?access_token=***&page=2'");
	check("gh auth login --with ghp_0123456789abcdef0123", "gh auth login --with ***");
	check("echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.sig", "echo ***");
	check("echo '-----BEGIN RSA PRIVATE KEY-----\nMII\n", "echo '***");
	check("PASSWORD='it'\"'\"'s' x", "PASSWORD=*** x");
	check("PASSWORD='it'\\''s'; x", "PASSWORD=***; x");
	check("sh -c \"PASSWORD='a'\" && x \"y\"", "sh -c \"PASSWORD=***\" && x \"y\"");
	check("curl --user 'me:a b' z", "curl --user 'me:*** z");
	check("MYSQL_PWD=x KEY=y", "MYSQL_PWD=*** KEY=***");
}

/* A letter means a password to few programs. */
static void by_program(void **state)
{
	(void)state;
	check("mysql -phunter2 db", "mysql -p*** db");
	check("mysql -uroot -p'a b' -e 'select 1; select 2'", "mysql -uroot -p*** -e 'select 1; select 2'");
	check("mysql -e \"a; b\" -phunter2", "mysql -e \"a; b\" -p***");
	check("cd x && sudo /usr/bin/mysqldump -h h -pa$b>x", "cd x && sudo /usr/bin/mysqldump -h h -p***>x");
	check("bash -c 'mysql -phunter2; ls -path'; ls -path", "bash -c 'mysql -p***; ls -path'; ls -path");
	check("mariadb-admin -phunter2 ping|mysql -pa", "mariadb-admin -p*** ping|mysql -p***");
	check("sshpass -p hunter2 ssh h", "sshpass -p *** ssh h");
	check("sshpass -phunter2 ssh -p 22 h", "sshpass -p*** ssh -p *** h");
	check("redis-cli -a hunter2 ping", "redis-cli -a *** ping");
	check("mongosh -u me -p hunter2", "mongosh -u me -p ***");
	check("docker login -u me -p hunter2 reg", "docker login -u me -p *** reg");
	check("ldapsearch -D cn=x -w hunter2 -b y", "ldapsearch -D cn=x -w *** -b y");
	check("curl -ume:pw -U proxy --proxy-user me:pw z", "curl -ume:*** -U proxy --proxy-user me:*** z");
	check("mysql -p", "mysql -p");
	check("sshpass -p", "sshpass -p");
}

static void and_not_more(void **state)
{
	static const char *const plain[] = { "ls -l /tmp", "PWD=/x; cd $PWD", "git commit --author='A B'",
		"echo monkey=1", "http://host/path?q=a@b", "sudo -u root id", "tar xf a:b", "echo a=b", "eyJ short", "",
		"-", "--", ":", "=", "ls -path x", "mkdir -p a; mysql db -P 3306 -p db", "mysql db; ls -path x",
		"mysql db && find . -path x", "find /var/lib/mysql -path x", "loginctl show -p Type", "my-p -px",
		"docker run -p 80:80 x", "curl -uname x", "mysqlx/y -path", "redis-cli --a b" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		check(plain[i], plain[i]);
}

static void over_the_arguments_of_a_program(void **state)
{
	static const char *const argv[] = { "mysql", "--password", "hunter2 x", "--token", "", "a", "-H",
		"Authorization:", "Basic x", "-u", "me:p w:x", "--user", "root", "a:b" };
	AUTOBUF struct buf masked;
	struct mask_carry carry = { 0 };

	(void)state;
	buf_init(&masked, 4096);
	for (size_t i = 0; i < ARRAY_LEN(argv); i++) {
		mask_credentials(&masked, str_of(argv[i]), &carry);
		buf_addc(&masked, '|');
	}
	buf_addc(&masked, '\0');
	assert_string_equal(
		masked.data, "mysql|--password|***|--token||***|-H|Authorization:|***|-u|me:***|--user|root|a:b|");
}

static void over_the_arguments_of_one_that_has_its_password_behind_a_letter(void **state)
{
	static const char *const argv[] = { "sudo", "/usr/bin/mysql", "-e", "a; b", "-phunter2 x", "-P", "3306", "db" };
	static const char *const other[] = { "find", "/var/lib/mysql", "-path", "x" };
	static const char *const next[] = { "docker", "login", "-p", "hunter2 x", "reg" };
	static const struct {
		const char *const *argv;
		size_t count;
		const char *wanted;
	} cases[] = { { argv, ARRAY_LEN(argv), "sudo|/usr/bin/mysql|-e|a; b|-p***|-P|3306|db|" },
		{ other, ARRAY_LEN(other), "find|/var/lib/mysql|-path|x|" },
		{ next, ARRAY_LEN(next), "docker|login|-p|***|reg|" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOBUF struct buf masked;
		struct mask_carry carry = { 0 };

		buf_init(&masked, 4096);
		for (size_t at = 0; at < cases[i].count; at++) {
			mask_credentials(&masked, str_of(cases[i].argv[at]), &carry);
			buf_addc(&masked, '|');
		}
		buf_addc(&masked, '\0');
		assert_string_equal(masked.data, cases[i].wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_value),
		cmocka_unit_test(by_shape),
		cmocka_unit_test(by_program),
		cmocka_unit_test(and_not_more),
		cmocka_unit_test(over_the_arguments_of_a_program),
		cmocka_unit_test(over_the_arguments_of_one_that_has_its_password_behind_a_letter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
