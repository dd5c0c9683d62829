/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/system/sockets.h"

#include "ops/system/host_files.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 32 << 20, PATH_SIZE = 4096, TCP_LISTEN = 0x0a, UDP_UNCONNECTED = 0x07, NAME_MAX_BYTES = 256 };

const char *const socket_protocols[] = {
	[SOCKET_TCP] = "tcp", [SOCKET_TCP6] = "tcp6", [SOCKET_UDP] = "udp", [SOCKET_UDP6] = "udp6", NULL
};

static bool parse_hex(struct str text, size_t max_digits, uint32_t *ret_value)
{
	*ret_value = 0;
	if (text.len == 0 || text.len > max_digits)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		static const char digits[] = "0123456789ABCDEFabcdef";
		const char *at = text.p[i] ? strchr(digits, text.p[i]) : NULL;
		uint32_t digit = at ? (uint32_t)(at - digits) : 0;

		if (!at)
			return false;
		*ret_value = *ret_value << 4 | (digit > 15 ? digit - 6 : digit);
	}
	return true;
}

/* Words of 32 bits, each as this machine would write it. */
static bool parse_address(struct str text, bool is_v6, char to[static SOCKET_ADDRESS_SIZE])
{
	uint32_t words[4];
	size_t count = is_v6 ? 4 : 1;

	if (text.len != count * 8)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!parse_hex((struct str){ text.p + i * 8, 8 }, 8, &words[i]))
			return false;
	}
	return inet_ntop(is_v6 ? AF_INET6 : AF_INET, words, to, SOCKET_ADDRESS_SIZE) != NULL;
}

static struct str next_word(struct str *rest)
{
	*rest = str_trim(*rest);
	return str_cut(rest, ' ');
}

/* "0: 0100007F:2328 00000000:0000 0A tx:rx tr:when retrnsmt uid timeout inode …" */
bool socket_parse(struct str line, enum socket_protocol protocol, struct socket_info *ret_socket)
{
	bool is_tcp = protocol == SOCKET_TCP || protocol == SOCKET_TCP6;
	bool is_v6 = protocol == SOCKET_TCP6 || protocol == SOCKET_UDP6;
	struct str local, port;
	uint32_t number, state;

	next_word(&line);
	port = next_word(&line);
	local = str_cut(&port, ':');
	next_word(&line);
	if (!parse_hex(next_word(&line), 2, &state) || state != (uint32_t)(is_tcp ? TCP_LISTEN : UDP_UNCONNECTED) ||
		!parse_hex(port, 4, &number))
		return false;
	*ret_socket = (struct socket_info){ .protocol = protocol, .port = (uint16_t)number };
	for (int i = 0; i < 5; i++)
		next_word(&line);
	return parse_address(local, is_v6, ret_socket->address) && number != 0 &&
	       str_to_u64(next_word(&line), &ret_socket->inode) == 0;
}

static void add(struct sockets *s, const struct socket_info *one)
{
	if (s->count == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;
		struct socket_info *grown = realloc(s->items, cap * sizeof *grown);

		if (!grown)
			return;
		s->items = grown;
		s->cap = cap;
	}
	s->items[s->count++] = *one;
}

static int compare(const void *a, const void *b)
{
	const struct socket_info *x = a, *y = b;

	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	if (x->protocol != y->protocol)
		return x->protocol < y->protocol ? -1 : 1;
	return strcmp(x->address, y->address);
}

void sockets_read(struct sockets *s, const char *root, size_t most, bool *ret_truncated)
{
	*s = (struct sockets){ 0 };
	*ret_truncated = false;
	for (int protocol = 0; protocol < SOCKET_PROTOCOLS; protocol++) {
		char path[32];
		AUTOFREE char *text = NULL;
		struct str rest;

		snprintf(path, sizeof path, "/proc/self/net/%s", socket_protocols[protocol]);
		text = host_read(root, path, TEXT_MAX);
		rest = str_of(text ? text : "");
		while (rest.len) {
			struct socket_info one;

			if (!socket_parse(str_cut(&rest, '\n'), (enum socket_protocol)protocol, &one))
				continue;
			if (s->count == most)
				*ret_truncated = true;
			else
				add(s, &one);
		}
	}
	if (s->count)
		qsort(s->items, s->count, sizeof *s->items, compare);
}

static void read_name(int proc_fd, const char *pid, char *to, size_t size)
{
	char path[NAME_MAX_BYTES + 8];
	AUTOCLOSE int fd = -1;
	ssize_t len;

	snprintf(path, sizeof path, "%s/comm", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, to, size - 1);
	to[MAX(len, 0)] = '\0';
	to[strcspn(to, "\n")] = '\0';
}

/* Several may hold a socket: the first that is found, /proc being in the order of the numbers. */
static void claim(struct sockets *s, uint64_t inode, int proc_fd, const char *pid)
{
	for (size_t i = 0; i < s->count; i++) {
		struct socket_info *one = &s->items[i];

		if (one->inode != inode || one->pid || inode == 0)
			continue;
		one->pid = (pid_t)strtol(pid, NULL, 10);
		read_name(proc_fd, pid, one->process, sizeof one->process);
	}
}

static void look_at_process(struct sockets *s, int proc_fd, const char *pid)
{
	char path[NAME_MAX_BYTES + 8], target[64];
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof path, "%s/fd", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		close_fd(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		ssize_t len = readlinkat(fd, entry->d_name, target, sizeof target - 1);
		unsigned long long inode;

		if (len <= 0)
			continue;
		target[len] = '\0';
		if (sscanf(target, "socket:[%llu]", &inode) == 1)
			claim(s, inode, proc_fd, pid);
	}
	closedir(dir);
}

void sockets_find_owners(struct sockets *s, const char *root, bool (*stop)(void *user), void *user)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof path, "%s/proc", root);
	dir = s->count ? opendir(path) : NULL;
	if (!dir)
		return;
	while ((entry = readdir(dir)) && !stop(user)) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			look_at_process(s, dirfd(dir), entry->d_name);
	}
	closedir(dir);
}

void sockets_free(struct sockets *s)
{
	free(s->items);
	*s = (struct sockets){ 0 };
}
