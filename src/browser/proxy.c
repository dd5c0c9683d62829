/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/proxy_internal.h"

#include "base/clock.h"
#include "browser/peer_owner.h"
#include "browser/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128, ACCEPT_TURN_MAX = 32, MAX_CONNECTIONS = 512 };

/* A browser opens connections ahead of use, hence the long time for a head. */
#define HEAD_NS (60 * NS_PER_S)
#define CONNECT_NS (20 * NS_PER_S)
#define SILENCE_NS (30 * NS_PER_S)
#define ACCEPT_PAUSE_NS (100 * NS_PER_MS)

static void set_defaults(struct proxy_settings *s)
{
	if (!s->files)
		s->files = &lookup_system_files;
	if (!s->max_connections)
		s->max_connections = MAX_CONNECTIONS;
	if (!s->head_ns)
		s->head_ns = HEAD_NS;
	if (!s->connect_ns)
		s->connect_ns = CONNECT_NS;
	if (!s->silence_ns)
		s->silence_ns = SILENCE_NS;
}

static void copy_patterns(struct proxy *proxy)
{
	const char *const *from = proxy->settings.allow_hosts;
	const char **to;
	size_t count = 0;

	while (from && from[count])
		count++;
	to = hold_array(&proxy->hold, const char *, count + 1);
	for (size_t i = 0; i < count; i++)
		to[i] = hold_text(&proxy->hold, str_of(from[i]));
	proxy->settings.allow_hosts = to;
}

static int listen_on_loopback(struct proxy *proxy)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;

	proxy->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (proxy->fd < 0 || bind(proxy->fd, (struct sockaddr *)&address, size) < 0 || listen(proxy->fd, BACKLOG) < 0 ||
		getsockname(proxy->fd, (struct sockaddr *)&address, &size) < 0)
		return -errno;
	proxy->port = ntohs(address.sin_port);
	return 0;
}

static void on_accept(struct watch *w, unsigned events);

static void on_accept_pause(struct timer *t)
{
	struct proxy *proxy = OWNER(t, struct proxy, accept_pause);

	watch_change(&proxy->watch, WATCH_READ);
}

/* Without a word: whoever it is has no business here, or there is no room for it. */
static void take_connection(struct proxy *proxy, int fd)
{
	uid_t uid;

	if (proxy->count >= proxy->settings.max_connections || peer_owner(fd, &uid) < 0 || uid != proxy->settings.uid)
		close(fd);
	else
		proxy_conn_new(proxy, fd);
}

static void on_accept(struct watch *w, unsigned events)
{
	struct proxy *proxy = OWNER(w, struct proxy, watch);

	(void)events;
	for (int i = 0; i < ACCEPT_TURN_MAX; i++) {
		int fd = accept4(proxy->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			take_connection(proxy, fd);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			watch_change(&proxy->watch, 0);
			timer_start(&proxy->accept_pause, proxy->loop, ACCEPT_PAUSE_NS, on_accept_pause);
			return;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			return;
		}
	}
}

struct proxy *proxy_start(struct loop *loop, const struct proxy_settings *settings, struct err *err)
{
	struct proxy *proxy = mem_new(struct proxy);
	int r;

	proxy->loop = loop;
	proxy->settings = *settings;
	set_defaults(&proxy->settings);
	copy_patterns(proxy);
	list_init(&proxy->conns);
	proxy->scratch = mem_alloc(RELAY_SCRATCH_SIZE);
	proxy->names = hostnames_new(loop, proxy->settings.files, proxy->settings.connect_ns);
	r = listen_on_loopback(proxy);
	if (r == 0)
		r = watch_start(&proxy->watch, loop, proxy->fd, WATCH_READ, on_accept);
	if (r == 0)
		return proxy;
	proxy_stop(proxy);
	err_set(err, ERR_BROWSER_FAILED, "the proxy of browser.allow_hosts cannot listen on loopback: %s",
		strerror(-r));
	return NULL;
}

void proxy_stop(struct proxy *proxy)
{
	if (!proxy)
		return;
	watch_stop(&proxy->watch);
	timer_free(&proxy->accept_pause);
	close_fd(proxy->fd);
	while (!list_is_empty(&proxy->conns))
		proxy_conn_free(proxy->conns.next);
	hostnames_free(proxy->names);
	hold_free(&proxy->hold);
	free(proxy->scratch);
	free(proxy);
}

void proxy_flags(const struct proxy *proxy, char flags[static PROXY_FLAGS][PROXY_FLAG_SIZE])
{
	snprintf(flags[0], PROXY_FLAG_SIZE, "--proxy-server=http://127.0.0.1:%u", proxy->port);
	snprintf(flags[1], PROXY_FLAG_SIZE, "--proxy-bypass-list=<-loopback>");
	snprintf(flags[2], PROXY_FLAG_SIZE, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1");
	snprintf(flags[3], PROXY_FLAG_SIZE, "--webrtc-ip-handling-policy=disable_non_proxied_udp");
}

unsigned proxy_port(const struct proxy *proxy)
{
	return proxy->port;
}

unsigned proxy_connections(const struct proxy *proxy)
{
	return proxy->count;
}

uint64_t proxy_refused(const struct proxy *proxy)
{
	return proxy->refused;
}
