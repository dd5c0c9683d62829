/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners out of /proc/net, and whose they are (R81). */
#include "fixture_tree.h"

#include "ops/system/sockets.h"

#include <stdlib.h>

#define HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define LINE(local, remote, state, inode) \
	"   0: " local " " remote " " state " 00000000:00000000 00:00000000 00000000     0        0 " inode \
	" 1 0 100 0\n"

static void lines(void **state)
{
	struct socket_info one;

	(void)state;
	assert_true(socket_parse(STR(LINE("0100007F:2328", "00000000:0000", "0A", "777")), SOCKET_TCP, &one));
	assert_string_equal(one.address, "127.0.0.1");
	assert_int_equal(one.port, 9000);
	assert_int_equal(one.inode, 777);
	/* Established; bound to nothing; broken. */
	assert_false(socket_parse(STR(LINE("0100007F:2328", "0100007F:1234", "01", "7")), SOCKET_TCP, &one));
	assert_false(socket_parse(STR(LINE("00000000:0000", "00000000:0000", "07", "7")), SOCKET_UDP, &one));
	assert_false(socket_parse(STR(HEAD), SOCKET_TCP, &one));
	assert_false(socket_parse(STR(""), SOCKET_TCP, &one));
	assert_false(socket_parse(STR(LINE("01000:2328", "00000000:0000", "0A", "7")), SOCKET_TCP, &one));
	assert_false(socket_parse(STR(LINE("0100007G:2328", "00000000:0000", "0A", "7")), SOCKET_TCP, &one));
	assert_false(socket_parse(STR("0: 0100007F:2328 00000000:0000 0A\n"), SOCKET_TCP, &one));
	/* UDP waits when it is not connected. */
	assert_true(socket_parse(STR(LINE("00000000:0035", "00000000:0000", "07", "7")), SOCKET_UDP, &one));
	assert_string_equal(one.address, "0.0.0.0");
	assert_false(socket_parse(STR(LINE("00000000:0035", "0100007F:0036", "01", "7")), SOCKET_UDP, &one));
	assert_true(
		socket_parse(STR(LINE("00000000000000000000000001000000:1F90", "0:0", "0A", "8")), SOCKET_TCP6, &one));
	assert_string_equal(one.address, "::1");
	assert_true(
		socket_parse(STR(LINE("B80D0120000000000000000001000000:1F90", "0:0", "0A", "8")), SOCKET_TCP6, &one));
	assert_string_equal(one.address, "2001:db8::1");
}

static bool stop_now(void *user)
{
	return *(bool *)user;
}

static void link_fd(const char *path, const char *target)
{
	char full[256];

	put_file(path, "");
	snprintf(full, sizeof full, "%s%s", tree, path);
	unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

static void a_whole_system(void **state)
{
	struct sockets s;
	bool truncated, stop = false;

	(void)state;
	put_file("/proc/self/net/tcp", HEAD LINE("00000000:1F90", "00000000:0000", "0A", "11")
					       LINE("0100007F:0050", "00000000:0000", "0A", "12"));
	put_file("/proc/self/net/tcp6", HEAD LINE("00000000000000000000000000000000:0050", "0:0", "0A", "13"));
	put_file("/proc/self/net/udp", HEAD LINE("00000000:0035", "00000000:0000", "07", "14"));
	link_fd("/proc/40/fd/3", "socket:[11]");
	link_fd("/proc/40/fd/4", "socket:[999]");
	link_fd("/proc/40/fd/5", "/dev/null");
	put_file("/proc/40/comm", "nginx: (x)\n");
	link_fd("/proc/41/fd/0", "socket:[13]");
	sockets_read(&s, tree, 10, &truncated);
	assert_false(truncated);
	assert_int_equal(s.count, 4);
	sockets_find_owners(&s, tree, stop_now, &stop);
	assert_int_equal(s.items[0].port, 53);
	assert_int_equal(s.items[0].pid, 0);
	assert_int_equal(s.items[1].protocol, SOCKET_TCP);
	assert_int_equal(s.items[2].protocol, SOCKET_TCP6);
	assert_int_equal(s.items[2].pid, 41);
	assert_string_equal(s.items[2].process, "");
	assert_int_equal(s.items[3].port, 8080);
	assert_int_equal(s.items[3].pid, 40);
	assert_string_equal(s.items[3].process, "nginx: (x)");
	sockets_free(&s);
	sockets_read(&s, tree, 2, &truncated);
	assert_true(truncated);
	assert_int_equal(s.count, 2);
	stop = true;
	sockets_find_owners(&s, tree, stop_now, &stop);
	assert_int_equal(s.items[0].pid + s.items[1].pid, 0);
	sockets_free(&s);
}

static void nothing_there(void **state)
{
	struct sockets s;
	bool truncated, stop = false;

	(void)state;
	sockets_read(&s, tree, 10, &truncated);
	sockets_find_owners(&s, tree, stop_now, &stop);
	assert_int_equal(s.count, 0);
	sockets_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		TREE_TEST(a_whole_system),
		TREE_TEST(nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
