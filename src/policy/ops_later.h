/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of ops as a policy file may write them.
 *
 * One file serves several builds: an op of the product that this build does not have may be
 * switched and limited too, which changes nothing here.  A name of no op at all is an error.
 */
#pragma once

#include "catalog/op.h"

/* The id behind an id or endpoint id; NULL with *ret_nearest (or NULL) when there is none.  Valid as long as `name`. */
const char *ops_later_id(const char *name, const char **ret_nearest);
