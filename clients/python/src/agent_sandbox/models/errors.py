# SPDX-License-Identifier: Apache-2.0
"""The errors, under the name of earlier clients."""
from ..errors import *
from ..errors import __all__ as __all__
