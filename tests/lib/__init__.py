# SPDX-License-Identifier: Apache-2.0
"""What the API tests share: the server as a process, a client that doubts every reply, coverage."""
