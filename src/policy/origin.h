/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and Origin as texts: what keeps a web page in somebody's browser from driving a server
 * that listens on loopback.
 */
#pragma once

#include "base/str.h"

/* localhost, 127.0.0.0/8 or [::1], with or without a port: names that no foreign DNS can point here. */
bool origin_host_is_loopback(struct str host);

/* Whether the origin is the page of this very server: "http://" and the host, the default port left out or not. */
bool origin_is_same(struct str origin, struct str host);

/* scheme://host or scheme://host:port, lower case, no path: what a browser sends. */
bool origin_is_valid(struct str origin);
