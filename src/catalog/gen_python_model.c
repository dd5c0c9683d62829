/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_python_internal.h"
#include "catalog/schema.h"

#include <assert.h>

enum { NAMES_MAX = 512 };

struct models {
	struct buf *out;
	enum python_style style;
	const char *seen[NAMES_MAX];
	size_t count;
};

static const char *plain_type(enum field_type type)
{
	switch (type) {
	case FIELD_INTEGER:
		return "int";
	case FIELD_NUMBER:
		return "float";
	case FIELD_BOOLEAN:
		return "bool";
	case FIELD_ANY:
		return "Any";
	default:
		return "str"; /* choices too: a newer server may have more of them */
	}
}

static void add_type(struct buf *out, const struct field *field)
{
	bool null = field->flags & F_NULLABLE;

	if (field->type == FIELD_ARRAY)
		buf_addf(out, "list[%s]",
			field->item_type == FIELD_OBJECT ? field->item_name : plain_type(field->item_type));
	else if (field->type == FIELD_MAP)
		buf_addf(out, "dict[str, str%s]", null ? " | None" : "");
	else if (field->type == FIELD_OBJECT)
		buf_adds(out, field->item_name ? field->item_name : "dict[str, Any]");
	else
		buf_adds(out, plain_type(field->type));
	if (null && field->type != FIELD_MAP && field->type != FIELD_ANY)
		buf_adds(out, " | None");
}

/* What a member is when the server left it out. */
static void add_default(struct buf *out, const struct field *field, const char *name)
{
	bool renamed = strcmp(name, field->name) != 0;
	const char *value = field->omit_false ? "False" : "None";

	if ((field->flags & F_REQUIRED) && renamed)
		buf_addf(out, " = Field(alias=\"%s\")", field->name);
	else if (!(field->flags & F_REQUIRED) && renamed)
		buf_addf(out, " = Field(default=%s, alias=\"%s\")", value, field->name);
	else if (!(field->flags & F_REQUIRED))
		buf_addf(out, " = %s", value);
}

static void add_field(struct models *m, const struct field *field, enum python_style style)
{
	char room[64];
	const char *usable = python_name(field->name, room);
	const char *name = style == PYTHON_TYPEDDICT ? field->name : usable;
	bool required = field->flags & F_REQUIRED;

	/* A word of the language ("as") cannot be declared in a TypedDict; in the dict it is there all the same. */
	buf_addf(m->out, "    %s%s: ", strcmp(usable, name) != 0 ? "# " : "", name);
	if (style == PYTHON_TYPEDDICT && !required)
		buf_adds(m->out, "NotRequired[");
	add_type(m->out, field);
	if (style == PYTHON_TYPEDDICT) {
		buf_adds(m->out, required ? "" : "]");
	} else {
		if (!required && !field->omit_false && field->type != FIELD_ANY)
			buf_adds(m->out, " | None");
		add_default(m->out, field, name);
	}
	buf_adds(m->out, "\n");
	if (field->text) {
		buf_adds(m->out, "    \"\"\"");
		python_doc(m->out, field->text);
		buf_adds(m->out, "\"\"\"\n");
	}
}

static void add_class(
	struct models *m, const char *name, const char *doc, const struct field *fields, enum python_style style)
{
	buf_addf(m->out, "\n\nclass %s(%s):\n    \"\"\"", name, style == PYTHON_TYPEDDICT ? "TypedDict" : "Model");
	python_doc(m->out, doc);
	buf_adds(m->out, "\"\"\"\n");
	if (fields && fields->type != FIELD_NONE)
		buf_addc(m->out, '\n');
	for (; fields && fields->type != FIELD_NONE; fields++)
		add_field(m, fields, style);
}

static void add_named(const struct field *field, bool is_param, void *user)
{
	struct models *m = user;

	if (is_param)
		return;
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->seen[i], field->item_name) == 0)
			return;
	}
	assert(m->count < NAMES_MAX);
	m->seen[m->count++] = field->item_name;
	add_class(m, field->item_name, field->text ? field->text : field->item_name, field->fields, m->style);
}

static void add_event(struct models *m, const struct op *op, const struct event *event)
{
	char name[SCHEMA_NAME_SIZE];

	schema_named(event->fields, false, add_named, m);
	schema_event_name(op, event, name);
	buf_addf(m->out, "\n\nclass %s(Event):\n    \"\"\"", name);
	python_doc(m->out, event->text ? event->text : event->name);
	buf_addf(m->out, "\"\"\"\n\n    event: Literal[\"%s\"] = \"%s\"\n", event->name, event->name);
	if (event->final)
		buf_adds(m->out, "    final: ClassVar[bool] = True\n");
	for (const struct field *field = event->fields; field && field->type != FIELD_NONE; field++)
		add_field(m, field, PYTHON_PYDANTIC);
}

/* The union of a stream's events, and the table by which the runtime finds them. */
static void add_events(struct models *m, const struct op *op)
{
	char stream[SCHEMA_NAME_SIZE], name[SCHEMA_NAME_SIZE];

	for (const struct event *event = op->events; event->name; event++)
		add_event(m, op, event);
	schema_name(op, "event", stream);
	buf_addf(m->out, "\n\n%s = Union[", stream);
	for (const struct event *event = op->events; event->name; event++) {
		schema_event_name(op, event, name);
		buf_addf(m->out, "%s%s", event == op->events ? "" : ", ", name);
	}
	buf_addf(m->out, "]\n%ss: Mapping[str, type[%s]] = {\n", stream, stream);
	for (const struct event *event = op->events; event->name; event++) {
		schema_event_name(op, event, name);
		buf_addf(m->out, "    \"%s\": %s,\n", event->name, name);
	}
	buf_adds(m->out, "}\n");
}

void gen_python_models(struct buf *out, enum python_style style)
{
	struct models m = { .out = out, .style = style };
	char name[SCHEMA_NAME_SIZE];

	for (const struct op *const *op = ops_all; *op; op++) {
		if ((*op)->result) {
			schema_named((*op)->result, false, add_named, &m);
			schema_name(*op, "result", name);
			add_class(&m, name, (*op)->summary, (*op)->result, style);
		}
		if ((*op)->events)
			add_events(&m, *op);
	}
}
