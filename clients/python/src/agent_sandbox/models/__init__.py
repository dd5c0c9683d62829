# SPDX-License-Identifier: Apache-2.0
"""The types of answers (models.server), and the errors (models.errors)."""
