/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name services of the static file: none.
 *
 * libuv and c-ares refer to these functions in code that the server never calls.  glibc's own would bring
 * the loading of shared libraries into a file that runs where there are none; these say
 * "not found" and keep that out, so the static link needs no warning of it.
 */
#include "base/base.h"

#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>

#undef getpwuid_r
#undef getgrgid_r

int getpwuid_r(uid_t uid, struct passwd *entry, char *text, size_t size, struct passwd **ret_entry)
{
	(void)uid, (void)entry, (void)text, (void)size;
	*ret_entry = NULL;
	return ENOENT;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **ret_list)
{
	(void)node, (void)service, (void)hints;
	*ret_list = NULL;
	return EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

int getnameinfo(const struct sockaddr *address, socklen_t size, char *host, socklen_t host_size, char *service,
	socklen_t service_size, int flags)
{
	(void)address, (void)size, (void)host, (void)host_size, (void)service, (void)service_size, (void)flags;
	return EAI_NONAME;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
	(void)name, (void)protocol;
	return NULL;
}

int getservbyport_r(
	int port, const char *protocol, struct servent *entry, char *text, size_t size, struct servent **ret_entry)
{
	(void)port, (void)protocol, (void)entry, (void)text, (void)size;
	*ret_entry = NULL;
	return ENOENT;
}
