/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One typed row: a parameter of an op, or a member of a result or an event.
 *
 * A row names a member of a C struct; its macro knows the C type that the member must have,
 * and a member of another type does not compile.  From the rows come binding (bind.h),
 * writing (write.h), the catalog (print.h) and all that is generated from it.
 *
 * Macros: P_… for parameters, R_… for what the server writes.  S is the struct, m the member,
 * whose name is the name on the wire.
 */
#pragma once

#include "base/json.h"

enum field_type {
	FIELD_NONE, /* ends a list */
	FIELD_STRING,
	FIELD_TEXT, /* "string" on the wire; may hold NUL; not UTF-8 comes out with U+FFFD */
	FIELD_BYTES,
	FIELD_PATH,
	FIELD_INTEGER,
	FIELD_NUMBER,
	FIELD_BOOLEAN,
	FIELD_CHOICE,
	FIELD_ARRAY,
	FIELD_OBJECT,
	FIELD_MAP, /* an object of strings with free names */
	FIELD_ANY,
};

/* C types of members that are not plain ones. */
struct opt_int {
	bool set;
	int64_t value;
};
struct opt_num {
	bool set;
	double value;
};
struct opt_bool {
	bool set, value;
};
/* Text, or base64 where the caller asked for it. */
struct output {
	struct str bytes;
	bool base64;
};
/* Of the item type in the row. */
struct list {
	void *items;
	size_t count;
};
/* Item of a FIELD_MAP's list; value is terminated too. */
struct pair {
	const char *name;
	struct str value;
	bool is_null;
};

/* A path as given, and the place in the file system that policy made of it (policy/place.h). */
struct place;
struct path_arg {
	struct str given;    /* terminated; p NULL when absent; any bytes but NUL */
	struct place *place; /* before the op runs; NULL when absent */
	int folder_fd;       /* of F_CWD: the folder, open; meaningless without a place */
};

enum field_flags {
	F_REQUIRED = 1,
	F_NULLABLE = 2, /* null is a value: an unset optional is written as null instead of left out */
	F_SECRET = 4,   /* masked in logs and audit */
	/* of paths: how policy resolves them */
	F_WRITE = 8,        /* the op changes the entry: not on read-only paths */
	F_NOFOLLOW = 16,    /* the entry itself, when it is a symbolic link */
	F_MISSING_OK = 32,  /* missing parents are not an error yet: place->missing */
	F_CWD = 128,        /* a working directory: opened, and what fails is commands.cannot_start (R08) */
	F_NUMBER_OK = 256,  /* of strings: an integer in JSON is taken as its digits */
	F_EMPTY_OK = 64,    /* of strings: "" is allowed */
	F_QUERY_TOO = 1024, /* of a JSON body: its route takes it in the query as well, as the first version did */
	F_UNRESOLVED =
		2048,  /* of paths: below another one, or a name that need not be there: the op looks at it itself */
	F_AUDIT = 512, /* written into the audit log, credentials masked; of a map its names alone; paths are anyway */
};

struct field {
	const char *name;
	enum field_type type;
	unsigned flags;
	bool optional_type;            /* the member is an opt_… struct */
	bool omit_false;               /* a boolean that is written only when true */
	bool chooses_encoding;         /* FIELD_TEXT: the member is a struct output */
	bool raw_json;                 /* FIELD_ANY: the member is a struct str of JSON text that we made */
	size_t offset, size;           /* of the member */
	int64_t minimum, maximum, def; /* integers; def also of booleans and choices */
	double num_minimum, num_maximum, num_def;
	const char *def_text;       /* strings and paths: used when absent */
	const char *def_json;       /* of rows that only describe: the default as JSON text */
	const char *const *choices; /* NULL-terminated; the member holds the index */
	enum field_type item_type;  /* of an array: FIELD_STRING, FIELD_PATH, FIELD_INTEGER, FIELD_OBJECT */
	const char *item_name;      /* of an object or an array of objects: the component's name; NULL: any members */
	const struct field *fields; /* of an object or an array of objects */
	size_t item_size;
	const char *text; /* one sentence with a full stop */
};

/* The offset, and no compiling when the member is not of type T. */
#define FIELD_AT(S, m, T) (offsetof(S, m) + 0 * sizeof(char[_Generic(((S *)0)->m, T : 1)]))
#define FIELD_ROW_AS(S, m, wire, T, kind, why, ...) \
	{ \
		.name = wire, .type = kind, .offset = FIELD_AT(S, m, T), .size = sizeof(((S *)0)->m), .text = why, \
		__VA_ARGS__ \
	}
#define FIELD_ROW(S, m, T, kind, why, ...) FIELD_ROW_AS(S, m, #m, T, kind, why, __VA_ARGS__)

#define FIELDS_END \
	{ \
		.type = FIELD_NONE \
	}

/* Parameters.  A non-required string is NULL when absent unless .def_text is given at the end. */
#define P_STRING(S, m, f, why, ...) FIELD_ROW(S, m, const char *, FIELD_STRING, why, .flags = (f), ##__VA_ARGS__)
#define P_TEXT(S, m, f, why) FIELD_ROW(S, m, struct str, FIELD_TEXT, why, .flags = (f))
#define P_BYTES(S, m, f, why) FIELD_ROW(S, m, struct str, FIELD_BYTES, why, .flags = (f))
#define P_PATH(S, m, f, why, ...) FIELD_ROW(S, m, struct path_arg, FIELD_PATH, why, .flags = (f), ##__VA_ARGS__)
#define P_INT(S, m, d, lo, hi, why) \
	FIELD_ROW(S, m, int64_t, FIELD_INTEGER, why, .def = (d), .minimum = (lo), .maximum = (hi))
#define P_INT_REQUIRED(S, m, lo, hi, why) \
	FIELD_ROW(S, m, int64_t, FIELD_INTEGER, why, .flags = F_REQUIRED, .minimum = (lo), .maximum = (hi))
#define P_OPT_INT(S, m, lo, hi, why) \
	FIELD_ROW(S, m, struct opt_int, FIELD_INTEGER, why, .optional_type = true, .minimum = (lo), .maximum = (hi))
#define P_NUM(S, m, d, lo, hi, why) \
	FIELD_ROW(S, m, double, FIELD_NUMBER, why, .num_def = (d), .num_minimum = (lo), .num_maximum = (hi))
#define P_BOOL(S, m, d, why) FIELD_ROW(S, m, bool, FIELD_BOOLEAN, why, .def = (d))
#define P_OPT_BOOL(S, m, why) FIELD_ROW(S, m, struct opt_bool, FIELD_BOOLEAN, why, .optional_type = true)
#define P_CHOICE(S, m, d, list, why) FIELD_ROW(S, m, int, FIELD_CHOICE, why, .def = (d), .choices = (list))
#define P_STRINGS(S, m, f, why) \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .flags = (f), .item_type = FIELD_STRING, \
		.item_size = sizeof(const char *))
#define P_PATHS(S, m, f, why) \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .flags = (f), .item_type = FIELD_PATH, \
		.item_size = sizeof(struct path_arg))
#define P_OBJECTS(S, m, T, name_, rows, f, why) \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .flags = (f), .item_type = FIELD_OBJECT, \
		.item_size = sizeof(T), .item_name = name_, .fields = rows)
/* Strings by free names; with F_NULLABLE a value may be null. */
#define P_MAP(S, m, f, why) FIELD_ROW(S, m, struct list, FIELD_MAP, why, .flags = (f), .item_size = sizeof(struct pair))
#define P_ANY(S, m, f, why) FIELD_ROW(S, m, const struct json *, FIELD_ANY, why, .flags = (f))

/* What is written.  R_OPT_… are left out when unset (NULL), R_NULL_… are null then. */
#define R_STRING(S, m, why) FIELD_ROW(S, m, const char *, FIELD_STRING, why, .flags = F_REQUIRED)
#define R_OPT_STRING(S, m, why) FIELD_ROW(S, m, const char *, FIELD_STRING, why)
#define R_NULL_STRING(S, m, why) FIELD_ROW(S, m, const char *, FIELD_STRING, why, .flags = F_REQUIRED | F_NULLABLE)
#define R_TEXT(S, m, why) FIELD_ROW(S, m, struct str, FIELD_TEXT, why, .flags = F_REQUIRED)
#define R_OPT_TEXT(S, m, why) FIELD_ROW(S, m, struct str, FIELD_TEXT, why)
#define R_OUTPUT(S, m, wire, why) \
	FIELD_ROW_AS(S, m, wire, struct output, FIELD_TEXT, why, .flags = F_REQUIRED, .chooses_encoding = true)
#define R_BYTES(S, m, why) FIELD_ROW(S, m, struct str, FIELD_BYTES, why, .flags = F_REQUIRED)
#define R_OPT_BYTES(S, m, why) FIELD_ROW(S, m, struct str, FIELD_BYTES, why)
#define R_INT(S, m, why) \
	FIELD_ROW(S, m, int64_t, FIELD_INTEGER, why, .flags = F_REQUIRED, .minimum = INT64_MIN, .maximum = INT64_MAX)
#define R_OPT_INT(S, m, why) \
	FIELD_ROW(S, m, struct opt_int, FIELD_INTEGER, why, .optional_type = true, .minimum = INT64_MIN, \
		.maximum = INT64_MAX)
#define R_NULL_INT(S, m, why) \
	FIELD_ROW(S, m, struct opt_int, FIELD_INTEGER, why, .optional_type = true, .flags = F_REQUIRED | F_NULLABLE, \
		.minimum = INT64_MIN, .maximum = INT64_MAX)
#define R_NUM(S, m, why) FIELD_ROW(S, m, double, FIELD_NUMBER, why, .flags = F_REQUIRED)
#define R_OPT_NUM(S, m, why) FIELD_ROW(S, m, struct opt_num, FIELD_NUMBER, why, .optional_type = true)
#define R_NULL_NUM(S, m, why) \
	FIELD_ROW(S, m, struct opt_num, FIELD_NUMBER, why, .optional_type = true, .flags = F_REQUIRED | F_NULLABLE)
#define R_BOOL(S, m, why) FIELD_ROW(S, m, bool, FIELD_BOOLEAN, why, .flags = F_REQUIRED)
#define R_FLAG(S, m, why) FIELD_ROW(S, m, bool, FIELD_BOOLEAN, why, .omit_false = true) /* there only when true */
#define R_CHOICE(S, m, list, why) FIELD_ROW(S, m, int, FIELD_CHOICE, why, .flags = F_REQUIRED, .choices = (list))
#define R_STRINGS(S, m, why) \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .flags = F_REQUIRED, .item_type = FIELD_STRING, \
		.item_size = sizeof(const char *))
#define R_OPT_STRINGS(S, m, why) /* left out when items is NULL */ \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .item_type = FIELD_STRING, .item_size = sizeof(const char *))
#define R_OBJECT(S, m, T, name_, rows, why) \
	FIELD_ROW(S, m, T, FIELD_OBJECT, why, .flags = F_REQUIRED, .item_size = sizeof(T), .item_name = name_, \
		.fields = rows)
#define R_OBJECTS(S, m, T, name_, rows, why) \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .flags = F_REQUIRED, .item_type = FIELD_OBJECT, \
		.item_size = sizeof(T), .item_name = name_, .fields = rows)
#define R_OPT_OBJECTS(S, m, T, name_, rows, why) /* left out when items is NULL */ \
	FIELD_ROW(S, m, struct list, FIELD_ARRAY, why, .item_type = FIELD_OBJECT, .item_size = sizeof(T), \
		.item_name = name_, .fields = rows)
#define R_MAP(S, m, why) \
	FIELD_ROW(S, m, struct list, FIELD_MAP, why, .flags = F_REQUIRED, .item_size = sizeof(struct pair))
#define R_ANY(S, m, why) FIELD_ROW(S, m, const struct json *, FIELD_ANY, why, .flags = F_REQUIRED | F_NULLABLE)
#define R_OPT_ANY(S, m, why) FIELD_ROW(S, m, const struct json *, FIELD_ANY, why)

#define R_JSON(S, m, why) FIELD_ROW(S, m, struct str, FIELD_ANY, why, .raw_json = true, .flags = F_REQUIRED)
#define R_OPT_JSON(S, m, why) FIELD_ROW(S, m, struct str, FIELD_ANY, why, .raw_json = true)

const char *field_type_name(enum field_type type); /* of catalog.md: "string", "path", … */
const struct field *field_find(const struct field *fields, struct str name);

/* Paths have a twin, NAME_b64, that takes the exact bytes in base64 (R43). */
enum { FIELD_TWIN_SIZE = 64 };
bool field_has_twin(const struct field *field);
const char *field_twin(const struct field *field, char ret_name[static FIELD_TWIN_SIZE]);
