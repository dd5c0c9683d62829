/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/peer_owner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ESTABLISHED = 1, CLOSE_WAIT = 8 };

struct diag_request {
	struct nlmsghdr header;
	struct inet_diag_req_v2 body;
};

static struct diag_request make_request(unsigned peer_port, unsigned own_port)
{
	struct diag_request request = {
		.header = { .nlmsg_len = sizeof request,
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST },
		.body = { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP },
	};
	struct inet_diag_sockid *id = &request.body.id;

	/* The peer's socket has its own address as source. */
	id->idiag_sport = htons((uint16_t)peer_port);
	id->idiag_dport = htons((uint16_t)own_port);
	id->idiag_src[0] = id->idiag_dst[0] = htonl(INADDR_LOOPBACK);
	id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return request;
}

int peer_owner_by_netlink(unsigned peer_port, unsigned own_port, uid_t *ret_uid)
{
	struct diag_request request = make_request(peer_port, own_port);
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	union {
		struct nlmsghdr header;
		char bytes[1024];
	} reply;
	AUTOCLOSE int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	const struct inet_diag_msg *found = NLMSG_DATA(&reply.header);
	ssize_t len;

	if (fd < 0 || sendto(fd, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
		return -errno;
	/* The kernel answers before sendto() returns. */
	len = recv(fd, &reply, sizeof reply, MSG_DONTWAIT);
	if (len < 0)
		return -errno;
	if ((size_t)len >= NLMSG_LENGTH(sizeof(struct nlmsgerr)) && reply.header.nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)NLMSG_DATA(&reply.header))->error;
	if ((size_t)len < NLMSG_LENGTH(sizeof *found) || reply.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return -EPROTO;
	*ret_uid = found->idiag_uid;
	return 0;
}

int peer_owner_in_table(const char *path, unsigned peer_port, unsigned own_port, uid_t *ret_uid)
{
	unsigned loopback = htonl(INADDR_LOOPBACK);
	FILE *file = fopen(path, "re");
	char line[256];
	int r = -ENOENT;

	if (!file)
		return -errno;
	while (r < 0 && fgets(line, sizeof line, file)) {
		unsigned local, local_port, remote, remote_port, state, uid;

		if (sscanf(line, " %*u: %8x:%4x %8x:%4x %2x %*s %*s %*s %u", &local, &local_port, &remote, &remote_port,
			    &state, &uid) != 6)
			continue;
		if (local == loopback && remote == loopback && local_port == peer_port && remote_port == own_port &&
			(state == ESTABLISHED || state == CLOSE_WAIT)) {
			*ret_uid = uid;
			r = 0;
		}
	}
	fclose(file);
	return r;
}

int peer_owner(int fd, uid_t *ret_uid)
{
	struct sockaddr_in peer, own;
	socklen_t size = sizeof peer;
	int r;

	if (getpeername(fd, (struct sockaddr *)&peer, &size) < 0)
		return -errno;
	size = sizeof own;
	if (getsockname(fd, (struct sockaddr *)&own, &size) < 0)
		return -errno;
	r = peer_owner_by_netlink(ntohs(peer.sin_port), ntohs(own.sin_port), ret_uid);
	/* ENOENT: the peer is gone.  Anything else: this kernel does not say. */
	if (r < 0 && r != -ENOENT)
		r = peer_owner_in_table("/proc/self/net/tcp", ntohs(peer.sin_port), ntohs(own.sin_port), ret_uid);
	return r;
}
