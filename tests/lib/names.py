# SPDX-License-Identifier: Apache-2.0
"""Names of files that a shell, a URL, a pattern or a terminal takes for something else: each is only a name (B073)."""
STRANGE = ["a\nb", '"q".txt', "back\\slash", "-rf", "*", "$(touch x)", "%41", " lead", "tail ", "x" * 255, "..x", "...", "语言.pdf",
           "a;b", "~", "a\rb", "\x01", "'", "#", "?", "&", "+", "a b", "é"]
