/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file has beside its mode: the attributes of its users (user.*) and its access list.
 *
 * A copy gets them as far as its file system takes them; system, security and trusted ones are not ours to give.
 */
#pragma once

/* Blocks.  Needs no room of the caller's; what cannot be kept is left out. */
void xattrs_copy(int from_fd, int to_fd);
