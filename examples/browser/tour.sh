#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A page is written and served in the sandbox, and its browser looks at it, types, clicks and takes a
# picture: tour.sh [PICTURE].  Needs abx in PATH, ABX_URL, and a server with policy.yaml of this folder.
set -eu
picture=${1:-browser-tour.png}
here=$(dirname "$0")
there=browser-tour

abx mkdir "$there"
trap 'abx rm -r "$there"' EXIT

# Code that runs there writes the page.
abx code python "$here/make.py" -w "$there"

# A process of its own serves it, and tells where when it is ready.
abx cp "$here/serve.py" ":$there/serve.py"
abx sh "mkfifo $there/port"
pid=$(abx start -w "$there" -- python3 serve.py)
trap 'abx kill "$pid"; abx rm -r "$there"' EXIT
url=http://127.0.0.1:$(abx sh "cat $there/port")/

# The browser opens it; keys and clicks are real ones.
abx browser open "$url"
abx browser type '#what' 'a lamp'
abx browser click '#add'
abx browser text
abx browser eval 'document.querySelectorAll("li").length'
abx browser console
abx browser shot "$picture"
echo "the picture is in $picture"
