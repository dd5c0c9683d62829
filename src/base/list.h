/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A doubly linked ring through a member of the objects in it.  The head is a node of its
 * own; a node that points to itself is in no list.  Zeroed nodes must be initialised first.
 */
#pragma once

#include "base/base.h"

struct list_node {
	struct list_node *prev, *next;
};

static inline void list_init(struct list_node *n)
{
	n->prev = n->next = n;
}

static inline bool list_is_empty(const struct list_node *head)
{
	return head->next == head;
}

static inline void list_append(struct list_node *head, struct list_node *n)
{
	n->prev = head->prev;
	n->next = head;
	head->prev->next = n;
	head->prev = n;
}

static inline void list_remove(struct list_node *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

/* The first node, taken out; NULL when the list is empty. */
static inline struct list_node *list_shift(struct list_node *head)
{
	struct list_node *n = head->next;

	if (n == head)
		return NULL;
	list_remove(n);
	return n;
}

/* Each node; the current one may be removed in the body. */
#define LIST_EACH(n, head) \
	for (struct list_node *n = (head)->next, *next_##n = n->next; n != (head); n = next_##n, next_##n = n->next)
