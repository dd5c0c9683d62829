# SPDX-License-Identifier: Apache-2.0
"""Several calls at once."""
import concurrent.futures


def together(function, items, most=64):
    """function(item) for all items at once, in threads; the results in their order."""
    items = list(items)
    with concurrent.futures.ThreadPoolExecutor(min(most, max(len(items), 1))) as pool:
        return list(pool.map(function, items))
