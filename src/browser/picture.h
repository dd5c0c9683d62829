/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in the files that the browser makes: the size of a picture, the pages of a document.
 */
#pragma once

#include "base/str.h"

/* Of a PNG or JPEG: 0, or -EINVAL. */
int picture_size(struct str image, int64_t *ret_width, int64_t *ret_height) MUST_CHECK;

/* Of a PDF as the browser writes it; 0 when it is none. */
int64_t picture_pages(struct str pdf);
