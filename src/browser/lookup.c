/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each lookup has channels of its own, so that no two threads share one.  The hosts file and the
 * name servers are asked by one channel each: c-ares does not say which of them answered, and
 * the proxy believes them differently.
 */
#include "browser/lookup.h"

#include "base/clock.h"

#include <ares.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

/* A server that is silent is asked twice, the second time for twice as long: 3/8 of the time in all. */
enum { TRIES = 2, FIRST_TRY_PART = 8, FILE_TTL = 5 };

/* With the 16 that c-ares can tell, the last bit would be a sign. */
enum { SOCKETS_MAX = ARES_GETSOCK_MAXNUM - 1 };

/* How long a worker may be blind to being stopped. */
#define SLICE_NS (250 * NS_PER_MS)

const struct lookup_files lookup_system_files = { "/etc/resolv.conf", 53 };

static pthread_once_t once = PTHREAD_ONCE_INIT;

struct lookup {
	const struct lookup_files *files;
	const char *name;
	int64_t deadline_ns;
	bool (*is_stopped)(void *user);
	void *user;
	struct lookup_result *result;
	int why_ended; /* of our own will */
	bool done;
};

static void begin_library(void)
{
	ares_library_init(ARES_LIB_INIT_ALL);
}

static int error_of(const struct lookup *lookup, int status)
{
	switch (status) {
	case ARES_SUCCESS:
	case ARES_ENOTFOUND:
	case ARES_ENODATA:
	case ARES_EBADNAME: /* too long with a domain of the search list */
		return lookup->result->found.count ? 0 : -ENOENT;
	case ARES_ETIMEOUT:
		return -ETIMEDOUT;
	case ARES_ECANCELLED:
		return lookup->why_ended;
	default:
		return -EAGAIN;
	}
}

static void add_address(struct lookup_addresses *found, const struct ares_addrinfo_node *node)
{
	struct lookup_address *to = &found->all[found->count++];

	to->is_v6 = node->ai_family == AF_INET6;
	if (to->is_v6)
		memcpy(to->bytes, &((const struct sockaddr_in6 *)(const void *)node->ai_addr)->sin6_addr, 16);
	else
		memcpy(to->bytes, &((const struct sockaddr_in *)(const void *)node->ai_addr)->sin_addr, 4);
	found->ttl = MIN(found->ttl, (uint32_t)MAX(node->ai_ttl, 0));
}

/* Called once; also for what was cancelled, then perhaps with what had come until then. */
static void on_answer(void *user, int status, int timeouts, struct ares_addrinfo *list)
{
	struct lookup *lookup = user;
	struct lookup_addresses *found = &lookup->result->found;

	(void)timeouts;
	found->ttl = UINT32_MAX;
	for (struct ares_addrinfo_node *n = list ? list->nodes : NULL; n && found->count < LOOKUP_ADDRESSES_MAX;
		n = n->ai_next)
		add_address(found, n);
	/* They hold no longer than the aliases that led there. */
	for (struct ares_addrinfo_cname *c = list ? list->cnames : NULL; c; c = c->next)
		found->ttl = MIN(found->ttl, (uint32_t)MAX(c->ttl, 0));
	lookup->result->error = error_of(lookup, status);
	lookup->done = true;
	ares_freeaddrinfo(list);
}

/* What comes within a slice of time goes to c-ares, and so does that its time has come. */
static void wait_slice(ares_channel channel, int64_t slice_ns)
{
	struct timeval slice = { slice_ns / NS_PER_S, slice_ns % NS_PER_S / 1000 }, sooner, *wait;
	ares_socket_t sockets[SOCKETS_MAX];
	struct pollfd fds[SOCKETS_MAX];
	int wanted = ares_getsock(channel, sockets, SOCKETS_MAX);
	nfds_t count = 0;
	int r;

	for (int i = 0; i < SOCKETS_MAX; i++) {
		int events = (ARES_GETSOCK_READABLE(wanted, i) ? POLLIN : 0) |
			     (ARES_GETSOCK_WRITABLE(wanted, i) ? POLLOUT : 0);

		if (events)
			fds[count++] = (struct pollfd){ .fd = sockets[i], .events = (short)events };
	}
	wait = ares_timeout(channel, &slice, &sooner);
	r = poll(fds, count, (int)(wait->tv_sec * 1000 + wait->tv_usec / 1000 + 1));
	for (nfds_t i = 0; r > 0 && i < count; i++) {
		if (fds[i].revents)
			ares_process_fd(channel, fds[i].revents & ~POLLOUT ? fds[i].fd : ARES_SOCKET_BAD,
				fds[i].revents & POLLOUT ? fds[i].fd : ARES_SOCKET_BAD);
	}
	if (r <= 0)
		ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

static void wait_for_answer(struct lookup *lookup, ares_channel channel)
{
	while (!lookup->done) {
		int64_t left = lookup->deadline_ns - clock_now_ns();

		/* In this order: one that is late counts as stopped, too. */
		if (left <= 0 || lookup->is_stopped(lookup->user)) {
			lookup->why_ended = left <= 0 ? -ETIMEDOUT : -ECANCELED;
			ares_cancel(channel);
			return;
		}
		wait_slice(channel, MIN(left, SLICE_NS));
	}
}

/* source: 'f' is the hosts file, 'b' the name servers. */
static void ask(struct lookup *lookup, char source)
{
	const struct ares_addrinfo_hints hints = { .ai_flags = ARES_AI_ENVHOSTS, .ai_family = AF_UNSPEC };
	int64_t left_ms = MAX(lookup->deadline_ns - clock_now_ns(), 0) / NS_PER_MS;
	char lookups[] = { source, '\0' };
	struct ares_options options = {
		.flags = ARES_FLAG_NOALIASES, /* the policy was asked about this name */
		.timeout = (int)MIN(left_ms / FIRST_TRY_PART + 1, INT32_MAX),
		.tries = TRIES,
		.udp_port = (unsigned short)lookup->files->dns_port,
		.tcp_port = (unsigned short)lookup->files->dns_port,
		.lookups = lookups,
		.resolvconf_path = (char *)lookup->files->resolv_conf, /* it is copied */
	};
	ares_channel channel;

	lookup->done = false;
	lookup->result->error = -EAGAIN;
	if (ares_init_options(&channel, &options,
		    ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT |
			    ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF) != ARES_SUCCESS)
		return;
	ares_getaddrinfo(channel, lookup->name, NULL, &hints, on_answer, lookup);
	wait_for_answer(lookup, channel);
	ares_destroy(channel);
}

static bool is_localhost(const char *name)
{
	static const char suffix[] = ".localhost";
	size_t len = strlen(name);

	return strcmp(name, "localhost") == 0 ||
	       (len >= sizeof suffix && strcmp(name + len - (sizeof suffix - 1), suffix) == 0);
}

void lookup_run(const struct lookup_files *files, const char *name, int64_t deadline_ns, bool (*is_stopped)(void *user),
	void *user, struct lookup_result *ret_result)
{
	struct lookup lookup = { files, name, deadline_ns, is_stopped, user, .result = ret_result };

	*ret_result = (struct lookup_result){ 0 };
	if (is_localhost(name)) {
		ret_result->found = (struct lookup_addresses){
			{ { false, { 127, 0, 0, 1 } }, { true, { [15] = 1 } } },
			.count = 2,
			.ttl = FILE_TTL,
		};
		return;
	}
	pthread_once(&once, begin_library);
	ask(&lookup, 'f');
	if (ret_result->found.count) {
		ret_result->found.ttl = FILE_TTL;
		return;
	}
	ret_result->from_dns = true;
	ask(&lookup, 'b');
}
