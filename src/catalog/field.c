/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/field.h"

#include <stdio.h>

const char *field_type_name(enum field_type type)
{
	static const char *const names[] = {
		[FIELD_NONE] = "none",
		[FIELD_STRING] = "string",
		[FIELD_TEXT] = "string",
		[FIELD_BYTES] = "bytes",
		[FIELD_PATH] = "path",
		[FIELD_INTEGER] = "integer",
		[FIELD_NUMBER] = "number",
		[FIELD_BOOLEAN] = "boolean",
		[FIELD_CHOICE] = "choice",
		[FIELD_ARRAY] = "array",
		[FIELD_OBJECT] = "object",
		[FIELD_MAP] = "object",
		[FIELD_ANY] = "any",
	};

	return names[type];
}

const struct field *field_find(const struct field *fields, struct str name)
{
	for (; fields && fields->type != FIELD_NONE; fields++) {
		if (str_is(name, fields->name))
			return fields;
	}
	return NULL;
}

bool field_has_twin(const struct field *field)
{
	return field->type == FIELD_PATH || field->item_type == FIELD_PATH;
}

const char *field_twin(const struct field *field, char ret_name[static FIELD_TWIN_SIZE])
{
	snprintf(ret_name, FIELD_TWIN_SIZE, "%s_b64", field->name);
	return ret_name;
}
