/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one page that the browser shows.
 */
#pragma once

/* When a navigation counts as done. */
enum wait_until { WAIT_LOAD, WAIT_DOM, WAIT_NETWORK_IDLE, WAIT_COMMIT };
extern const char *const wait_until_choices[];
