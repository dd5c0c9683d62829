/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions for both kinds of address go out together from one socket, which is connected,
 * so that the kernel drops what other senders put in; each carries a random number.  What is
 * cut off is asked again over TCP.
 */
#include "browser/lookup.h"

#include "base/buf.h"
#include "base/clock.h"
#include "browser/resolv_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FILE_MAX = 1024 * 1024, NAME_SIZE = 512, KINDS = 2, FILE_TTL = 5 };

/* How long a worker may be blind to being stopped. */
#define SLICE_NS (250 * NS_PER_MS)

const struct lookup_files lookup_system_files = { "/etc/hosts", "/etc/resolv.conf", 53 };

static const unsigned kinds[KINDS] = { DNS_A, DNS_AAAA };

struct lookup {
	const struct lookup_files *files;
	int64_t deadline_ns;
	bool (*is_stopped)(void *user);
	void *user;
	struct resolv_conf conf;
	unsigned char *message; /* of DNS_TCP_MAX bytes */
};

/* One name at one server. */
struct question {
	struct lookup *lookup;
	struct str name;
	const struct dns_address *server;
	int64_t until_ns;
	uint16_t ids[KINDS];
	int answers[KINDS]; /* -EINPROGRESS until there is one */
	struct dns_addresses found[KINDS];
};

static struct str read_file(const char *path, struct buf *to)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t len = 1;

	while (fd >= 0 && len > 0) {
		char *room = buf_reserve(to, 4096);

		len = room ? read(fd, room, 4096) : 0;
		if (len > 0)
			buf_commit(to, (size_t)len);
	}
	return buf_str(to);
}

/* Waits for a descriptor: 1, 0 at the time given, -ECANCELED. */
static int wait_for(const struct lookup *lookup, int fd, short events, int64_t until_ns)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	int r = 0;

	while (r == 0) {
		int64_t left = MIN(until_ns, lookup->deadline_ns) - clock_now_ns();

		/* In this order: one that is late counts as stopped, too. */
		if (left <= 0)
			return 0;
		if (lookup->is_stopped(lookup->user))
			return -ECANCELED;
		r = poll(&poll_fd, 1, (int)((MIN(left, SLICE_NS) + NS_PER_MS - 1) / NS_PER_MS));
		if (r < 0 && errno == EINTR)
			r = 0;
	}
	return r < 0 ? -errno : 1;
}

static int connect_to(const struct question *q, int type)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)q->lookup->files->dns_port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = v4.sin_port };
	bool is_v6 = q->server->is_v6;
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;

	if (fd < 0)
		return -errno;
	memcpy(&v4.sin_addr, q->server->bytes, sizeof v4.sin_addr);
	memcpy(&v6.sin6_addr, q->server->bytes, sizeof v6.sin6_addr);
	r = is_v6 ? connect(fd, (struct sockaddr *)&v6, sizeof v6) : connect(fd, (struct sockaddr *)&v4, sizeof v4);
	if (r < 0 && errno != EINPROGRESS) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

/* --- TCP, for one kind --- */

/* Reads or writes all: 0 or a negative errno. */
static int transfer(const struct question *q, int fd, bool out, unsigned char *bytes, size_t len)
{
	while (len) {
		int r = wait_for(q->lookup, fd, out ? POLLOUT : POLLIN, q->until_ns);
		ssize_t done;

		if (r <= 0)
			return r < 0 ? r : -ETIMEDOUT;
		done = out ? send(fd, bytes, len, MSG_NOSIGNAL) : recv(fd, bytes, len, 0);
		if (done == 0)
			return -ECONNRESET;
		if (done < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (done > 0) {
			bytes += done;
			len -= (size_t)done;
		}
	}
	return 0;
}

static int ask_tcp(struct question *q, unsigned kind)
{
	unsigned char sent[2 + DNS_QUERY_MAX], size[2];
	ssize_t len = dns_query(sent + 2, q->ids[kind], q->name, kinds[kind]);
	AUTOCLOSE int fd = connect_to(q, SOCK_STREAM);
	int r;

	if (fd < 0)
		return fd;
	if (len < 0)
		return (int)len;
	sent[0] = (unsigned char)(len >> 8);
	sent[1] = (unsigned char)len;
	r = transfer(q, fd, true, sent, (size_t)len + 2);
	if (r == 0)
		r = transfer(q, fd, false, size, sizeof size);
	if (r < 0)
		return r;
	len = size[0] << 8 | size[1];
	r = transfer(q, fd, false, q->lookup->message, (size_t)len);
	if (r < 0)
		return r;
	return dns_answer((struct str){ (char *)q->lookup->message, (size_t)len }, q->ids[kind], q->name, kinds[kind],
		&q->found[kind]);
}

/* --- UDP, for both --- */

static int send_both(struct question *q, int fd)
{
	unsigned char sent[DNS_QUERY_MAX];

	if (getrandom(q->ids, sizeof q->ids, 0) != sizeof q->ids)
		return -EIO;
	q->ids[1] ^= q->ids[0] == q->ids[1];
	for (unsigned i = 0; i < KINDS; i++) {
		ssize_t len = dns_query(sent, q->ids[i], q->name, kinds[i]);

		if (len < 0)
			return (int)len;
		if (send(fd, sent, (size_t)len, MSG_NOSIGNAL) < 0)
			return -errno;
	}
	return 0;
}

static bool all_answered(const struct question *q)
{
	return q->answers[0] != -EINPROGRESS && q->answers[1] != -EINPROGRESS;
}

/* What answers nothing of ours is passed over: it may be forged, or late. */
static void take_answer(struct question *q, struct str message)
{
	for (unsigned i = 0; i < KINDS; i++) {
		int r;

		if (q->answers[i] != -EINPROGRESS)
			continue;
		r = dns_answer(message, q->ids[i], q->name, kinds[i], &q->found[i]);
		if (r == -EMSGSIZE)
			r = ask_tcp(q, i);
		if (r != -EBADMSG)
			q->answers[i] = r;
	}
}

static int ask_udp(struct question *q)
{
	AUTOCLOSE int fd = connect_to(q, SOCK_DGRAM);
	int r = fd < 0 ? fd : send_both(q, fd);

	while (r >= 0 && !all_answered(q)) {
		ssize_t len;

		r = wait_for(q->lookup, fd, POLLIN, q->until_ns);
		if (r <= 0)
			return r < 0 ? r : -ETIMEDOUT;
		len = recv(fd, q->lookup->message, DNS_TCP_MAX, 0);
		if (len < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (len > 0)
			take_answer(q, (struct str){ (char *)q->lookup->message, (size_t)len });
	}
	return MIN(r, 0);
}

/* 0 with addresses, -ENOENT when the server says that there are none, else another server may know. */
static int ask_server(
	struct lookup *lookup, struct str name, const struct dns_address *server, struct dns_addresses *found)
{
	struct question q = { .lookup = lookup, .name = name, .server = server };
	bool nothing = true;
	int r;

	q.until_ns = clock_now_ns() + lookup->conf.seconds * NS_PER_S;
	for (unsigned i = 0; i < KINDS; i++) {
		q.answers[i] = -EINPROGRESS;
		q.found[i].ttl = UINT32_MAX;
	}
	r = ask_udp(&q);
	for (unsigned i = 0; i < KINDS; i++) {
		nothing = nothing && (q.answers[i] == 0 || q.answers[i] == -ENOENT);
		for (size_t k = 0; q.answers[i] == 0 && k < q.found[i].count && found->count < DNS_ADDRESSES_MAX; k++) {
			found->all[found->count++] = q.found[i].all[k];
			found->ttl = MIN(found->ttl, q.found[i].ttl);
		}
	}
	if (found->count)
		return 0;
	return r < 0 ? r : nothing ? -ENOENT : -EAGAIN;
}

static int ask_servers(struct lookup *lookup, struct str name, struct dns_addresses *found)
{
	int r = -ETIMEDOUT;

	for (unsigned attempt = 0; attempt < lookup->conf.attempts; attempt++) {
		for (size_t i = 0; i < lookup->conf.server_count; i++) {
			r = ask_server(lookup, name, &lookup->conf.servers[i], found);
			if (r == 0 || r == -ENOENT || r == -ECANCELED)
				return r;
		}
	}
	return r;
}

static unsigned count_dots(const char *name)
{
	unsigned dots = 0;

	for (; *name; name++)
		dots += *name == '.';
	return dots;
}

static int ask_with_search(struct lookup *lookup, const char *name, struct dns_addresses *found)
{
	bool as_it_is_first = count_dots(name) >= lookup->conf.dots;
	int r = as_it_is_first ? ask_servers(lookup, str_of(name), found) : -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < lookup->conf.search_count; i++) {
		char longer[NAME_SIZE];
		int len = snprintf(longer, sizeof longer, "%s." STR_FMT, name, STR_ARG(lookup->conf.search[i]));

		if (len > 0 && (size_t)len < sizeof longer)
			r = ask_servers(lookup, str_of(longer), found);
		if (r == -EINVAL) /* together too long to be a name */
			r = -ENOENT;
	}
	return r == -ENOENT && !as_it_is_first ? ask_servers(lookup, str_of(name), found) : r;
}

static bool is_localhost(const char *name)
{
	static const char suffix[] = ".localhost";
	size_t len = strlen(name);

	return strcmp(name, "localhost") == 0 ||
	       (len >= sizeof suffix && strcmp(name + len - (sizeof suffix - 1), suffix) == 0);
}

static void find_own(const char *name, const struct lookup_files *files, struct dns_addresses *found)
{
	AUTOBUF struct buf text;

	buf_init(&text, FILE_MAX);
	found->ttl = FILE_TTL;
	if (is_localhost(name)) {
		found->all[0] = (struct dns_address){ false, { 127, 0, 0, 1 } };
		found->all[1] = (struct dns_address){ .is_v6 = true, .bytes = { [15] = 1 } };
		found->count = 2;
	} else {
		hosts_find(read_file(files->hosts, &text), name, found);
	}
}

void lookup_run(const struct lookup_files *files, const char *name, int64_t deadline_ns, bool (*is_stopped)(void *user),
	void *user, struct lookup_result *ret_result)
{
	struct lookup lookup = { .files = files, .deadline_ns = deadline_ns, .is_stopped = is_stopped, .user = user };
	AUTOBUF struct buf text;

	buf_init(&text, FILE_MAX);
	*ret_result = (struct lookup_result){ 0 };
	find_own(name, files, &ret_result->found);
	if (ret_result->found.count)
		return;
	resolv_conf_parse(read_file(files->resolv_conf, &text), &lookup.conf);
	lookup.message = mem_alloc(DNS_TCP_MAX);
	ret_result->from_dns = true;
	ret_result->found.ttl = UINT32_MAX;
	ret_result->error = ask_with_search(&lookup, name, &ret_result->found);
	free(lookup.message);
}
