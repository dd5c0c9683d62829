/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An empty network namespace for children that are to have no network (R100).
 */
#pragma once

/* Made at the first call and kept: a descriptor for setns(), or a negative errno where it is not allowed. */
int network_none_fd(void);
