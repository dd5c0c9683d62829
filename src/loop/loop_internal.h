/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this folder share: the loop is libuv's with a pointer back.
 */
#pragma once

#include "loop/loop.h"

#include <uv.h>

struct loop {
	uv_loop_t uv;
};
