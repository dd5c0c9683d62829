# SPDX-License-Identifier: Apache-2.0
"""What git says, also of repositories that mean harm (R82, R96, B087, B150)."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from lib.access import token
from lib.client import expect_error
from lib.processes import eventually, gone, nap, sleeping
from lib.server import Server

GROUPS = {"groups": {"dev_tools": True}}


@pytest.fixture(scope="module")
def server():
    """In the place of the shared one: `client` and `folder` are of this."""
    with Server(policy=GROUPS) as server:
        yield server


def git(folder, *words, **env):
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    identity = "-c user.name=n -c user.email=e@x -c protocol.file.allow=always -c safe.directory=* -c maintenance.auto=false".split()
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True, env={**clean, **env}).stdout


@pytest.fixture
def repo(folder):
    path = folder / "repo"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    (path / "a").write_text("one\ntwo\n")
    (path / "b").write_text("".join(f"{i}\n" for i in range(30)))
    git(path, "add", ".")
    git(path, "commit", "-qm", "first")
    return path


def status(client, path, **more):
    return client.rest("devtools.git.status", path=str(path), **more)


def changes(client, path):
    return sorted((one["path"], one["status"], one["staged"], one.get("old_path")) for one in status(client, path)["files"])


def diff(client, path, **more):
    return client.rest("devtools.git.diff", path=str(path), **more)


def test_a_clean_repository(client, repo):
    result = status(client, repo)
    commit = git(repo, "rev-parse", "HEAD").strip()
    assert result == {"root": str(repo), "branch": "main", "upstream": None, "commit": commit, "ahead": 0, "behind": 0,
                      "clean": True, "files": [], "truncated": False}
    assert diff(client, repo) == {"root": str(repo), "diff": "", "truncated": False, "stats": {"files_changed": 0, "insertions": 0, "deletions": 0}}


def test_every_kind_of_change(client, repo):
    for name in ("gone", "gone too", "both"):
        (repo / name).write_text(f"{name}\n")
    (repo / "c").write_text("".join(f"c{i}\n" for i in range(30)))
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "second")
    (repo / "a").write_text("changed\n")
    git(repo, "mv", "b", "new name")
    (repo / "copy").write_text((repo / "c").read_text())
    (repo / "c").write_text((repo / "c").read_text() + "more\n")
    (repo / "in index").write_text("x\n")
    git(repo, "add", "in index", "copy", "c")
    git(repo, "rm", "-q", "gone")
    (repo / "gone too").unlink()
    (repo / "both").write_text("staged\n")
    git(repo, "add", "both")
    (repo / "both").write_text("staged and more\n")
    (repo / "sub").mkdir()
    (repo / "sub/new\nline ä").write_text("x")
    assert changes(client, repo) == sorted([
        ("a", "modified", False, None), ("both", "modified", False, None), ("both", "modified", True, None), ("c", "modified", True, None),
        ("copy", "copied", True, "c"), ("gone", "deleted", True, None), ("gone too", "deleted", False, None),
        ("in index", "added", True, None), ("new name", "renamed", True, "b"), ("sub/new\nline ä", "untracked", False, None)],
        key=lambda one: (one[0], one[1], one[2], str(one[3])))
    # From below too, relative to the root (R82).
    assert changes(client, repo / "sub") == changes(client, repo)
    assert not status(client, repo)["clean"]


def test_unmerged(client, repo):
    git(repo, "checkout", "-qb", "other")
    (repo / "a").write_text("theirs\n")
    git(repo, "commit", "-qam", "theirs")
    git(repo, "checkout", "-q", "main")
    (repo / "a").write_text("ours\n")
    git(repo, "commit", "-qam", "ours")
    pytest.raises(subprocess.CalledProcessError, git, repo, "merge", "-q", "other")
    assert changes(client, repo) == [("a", "unmerged", False, None)]


def test_where_the_branch_stands(client, repo, folder):
    git(folder, "clone", "-q", str(repo), "clone")
    clone = folder / "clone"
    (repo / "a").write_text("upstream\n")
    git(repo, "commit", "-qam", "upstream")
    for name in ("x", "y"):
        (clone / name).write_text(name)
        git(clone, "add", name)
        git(clone, "commit", "-qm", name)
    git(clone, "fetch", "-q")
    result = status(client, clone)
    assert (result["branch"], result["upstream"], result["ahead"], result["behind"]) == ("main", "origin/main", 2, 1)
    git(clone, "checkout", "-q", "--detach")
    result = status(client, clone)
    assert result["branch"] is None and result["upstream"] is None and result["commit"]


def test_no_commit_yet(client, folder):
    git(folder, "init", "-q", "-b", "trunk", "new")
    (folder / "new/f").write_text("x")
    result = status(client, folder / "new")
    assert (result["branch"], result["commit"]) == ("trunk", None)
    assert changes(client, folder / "new") == [("f", "untracked", False, None)]


def test_submodule_and_worktree(client, repo, folder):
    git(folder, "init", "-q", "-b", "main", "super")
    above = folder / "super"
    git(above, "submodule", "--quiet", "add", str(repo), "sub")
    git(above, "commit", "-qm", "with a submodule")
    assert status(client, above)["clean"]
    (above / "sub/a").write_text("inside\n")
    assert status(client, above)["clean"], "nobody looks inside"
    inside = status(client, above / "sub")
    assert (inside["root"], inside["files"][0]["path"]) == (str(above / "sub"), "a")
    git(above / "sub", "commit", "-qam", "moved on")
    assert changes(client, above) == [("sub", "modified", False, None)]
    git(repo, "worktree", "add", "-q", "../tree", "-b", "tree")
    (folder / "tree/a").write_text("other\n")
    result = status(client, folder / "tree")
    assert (result["root"], result["branch"], result["files"][0]["path"]) == (str(folder / "tree"), "tree", "a")


def test_diffs(client, repo):
    (repo / "a").write_text("one\n2\nthree\n")
    (repo / "ä b").write_text("new\n")
    git(repo, "add", "ä b")
    (repo / "b").unlink()
    result = diff(client, repo)
    assert result["stats"] == {"files_changed": 2, "insertions": 2, "deletions": 31} and not result["truncated"]
    assert "-two\n+2\n+three\n" in result["diff"] and result["diff"].startswith("diff --git a/a b/a\n")
    staged = diff(client, repo, staged=True)
    assert "+++ b/ä b" in staged["diff"] and staged["stats"]["files_changed"] == 1
    assert diff(client, repo, file="a")["stats"]["files_changed"] == 1
    assert diff(client, repo, file=":(glob)*")["diff"] == "" and diff(client, repo, file="*")["diff"] == ""
    (repo / "sub").mkdir()
    assert diff(client, repo / "sub")["stats"]["files_changed"] == 2
    assert diff(client, repo / "sub", file="../a")["stats"]["files_changed"] == 1
    with expect_error("git.failed", 400, says="outside repository"):
        diff(client, repo, file="../../../etc/passwd")


def test_a_large_diff_is_cut_at_a_character(client, repo):
    (repo / "a").write_text("ä" * 1000 + "\n" + ("€" * 99 + "\n") * 9000)
    result = diff(client, repo)
    data = result["diff"].encode()
    assert result["truncated"] and (1 << 20) - 4 < len(data) <= 1 << 20 and "\ufffd" not in result["diff"]
    assert result["stats"]["insertions"] == 9001


def test_what_is_no_repository(client, folder, repo):
    for call in (status, diff):
        with expect_error("git.failed", 400, says="in no git repository"):
            call(client, folder)
        with expect_error("files.not_found", 404):
            call(client, folder / "none")
        with expect_error("files.not_a_directory", 409):
            call(client, repo / "a")
        with expect_error("policy.path_denied", 403):
            call(client, "/etc")


def test_a_repository_above_the_roots_is_not_looked_at(make_server, repo):
    (repo / "base").mkdir()
    (repo / "base/f").write_text("x")
    client = make_server(base=repo / "base", policy=GROUPS).client()
    with expect_error("git.failed", 400):
        client.rest("devtools.git.status")


@pytest.mark.parametrize("what", ["gitdir", "link", "objects", "alternates", "commondir", "index"])
def test_b087_a_repository_that_points_outside(client, repo, outside, what):
    secret = outside / "secret"
    secret.mkdir()
    git(secret, "init", "-q")
    (secret / "s").write_text("s")
    git(secret, "add", ".")
    git(secret, "commit", "-qm", "s")
    if what == "alternates":
        (repo / ".git/objects/info/alternates").write_text(f"{secret}/.git/objects\n")
    elif what == "commondir":
        (repo / ".git/commondir").write_text(f"{secret}/.git\n")
    elif what in ("objects", "index"):
        path = repo / ".git" / what
        shutil.rmtree(path) if what == "objects" else path.unlink()
        path.symlink_to(secret / ".git" / what)
    else:
        shutil.rmtree(repo / ".git")
        if what == "link":
            (repo / ".git").symlink_to(secret / ".git")
        else:
            (repo / ".git").write_text(f"gitdir: {secret}/.git\n")
    for call in (status, diff):
        with expect_error("policy.path_denied", 403) as caught:
            call(client, repo)
        assert str(outside) not in caught.error.message or what in ("gitdir", "alternates", "commondir")


def test_denied_files_are_left_out(make_server, repo):
    (repo / "d").mkdir()
    for name in (".env", "d/.env", "plain"):
        (repo / name).write_text("secret\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "x")
    for name in (".env", "d/.env", "plain", "private"):
        (repo / name).write_text("changed\n")
    client = make_server(base=repo, policy={**GROUPS, "paths": {"deny": ["**/.env", f"{repo}/private"]}}).client()
    assert changes(client, ".") == [("plain", "modified", False, None)]
    result = client.rest("devtools.git.diff")
    assert result["stats"]["files_changed"] == 1 and ".env" not in result["diff"]
    assert client.rest("devtools.git.diff", file=".env")["diff"] == ""


def hostile(repo, mark):
    """Everything of a repository that git would run, each leaving a mark."""
    script = repo / ".git/evil"
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> {mark}\ncat\n")
    script.chmod(0o755)
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction", "query-watchman"):
        shutil.copy(script, hooks / name)
    included = repo / ".git/included"
    included.write_text(f"[filter \"inc\"]\n\tclean = {script}\n\tsmudge = {script}\n[core]\n\tfsmonitor = {script}\n")
    with open(repo / ".git/config", "a", encoding="utf-8") as config:
        config.write(f"""
[core]
	fsmonitor = {script}
	hooksPath = {hooks}
	pager = {script}
	editor = {script}
	sshCommand = {script}
	attributesFile = {repo}/.git/attributes
	worktree = /etc
	untrackedCache = true
[pager]
	status = {script}
	diff = {script}
[diff]
	external = {script}
[diff "evil"]
	textconv = {script}
	command = {script}
	cachetextconv = true
[filter "evil"]
	clean = {script}
	smudge = {script}
	required = true
[filter "evil=strange"]
	process = {script}
[interactive]
	diffFilter = {script}
[alias]
	status = !{script}
	diff = !{script}
[gpg]
	program = {script}
[include]
	path = {included}
[includeIf "gitdir:/"]
	path = {included}
[extensions]
	worktreeConfig = true
	partialClone = origin
[remote "origin"]
	url = ext::{script}
	promisor = true
	uploadpack = {script}
	vcs = evil
""")
    (repo / ".git/config.worktree").write_text(f"[core]\n\tfsmonitor = {script}\n")
    attributes = "* filter=evil diff=evil\n*.s filter=evil=strange\n*.i filter=inc\n"
    (repo / ".gitattributes").write_text(attributes)
    (repo / ".git/attributes").write_text(attributes)
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text(attributes)


def test_b150_a_hostile_repository_runs_nothing(client, repo, tmp_path):
    for name in ("x.s", "x.i"):
        (repo / name).write_text("x\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "x")
    git(repo, "clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    mark = tmp_path / "mark"
    hostile(repo, mark)
    before = {path: path.stat().st_mtime_ns for path in (repo / ".git").rglob("*")}
    for name in ("a", "x.s", "x.i"):
        (repo / name).write_text("changed\n")
    found = {(one["path"], one["status"]) for one in status(client, repo)["files"]}
    assert found == {("a", "modified"), ("x.s", "modified"), ("x.i", "modified"), (".gitattributes", "untracked")}
    for staged in (False, True):
        assert diff(client, repo, staged=staged)["root"] == str(repo)
    assert "+changed" in diff(client, repo)["diff"]
    # An object that is missing is not fetched.
    tree = git(tmp_path / "bare", "rev-parse", "HEAD:a").strip()
    (repo / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    with expect_error("git.failed", 400):
        diff(client, repo)
    assert not mark.exists(), mark.read_text()
    assert {path: path.stat().st_mtime_ns for path in before if path.exists() and path.is_file()} == {
        path: time for path, time in before.items() if path.exists() and path.is_file()}, "nothing of the repository was written"


def test_b150_a_foreign_owner(client, repo):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for path in [repo, *repo.rglob("*")]:
        os.chown(path, 1234, 1234)
    assert status(client, repo)["clean"] and diff(client, repo)["diff"] == ""
    assert not list(client.server.scratch.glob(".git*")) and not list(client.server.scratch.glob(".config/git*"))  # its HOME


def test_b150_run_as_another_user(make_server, repo):
    if os.geteuid() != 0:
        pytest.skip("only root can run programs as another user")
    public = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    public.chmod(0o755)
    shutil.copytree(repo, public / "repo")
    (public / "repo/a").write_text("changed\n")
    try:
        client = make_server(base=public, policy={**GROUPS, "process": {"user": "nobody"}}, token="t").client()
        assert changes(client, "repo") == [("a", "modified", False, None)]
        assert client.call("devtools.code.run", code="id -un", language="bash")["stdout"] == "nobody\n"
    finally:
        shutil.rmtree(public)


def test_confined(make_server, repo):
    """Landlock holds these programs too (R99)."""
    if os.geteuid() != 0:
        pytest.skip("the temporary folder of this test is closed to others")
    top = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    shutil.copytree(repo, top / "repo")
    (top / "repo/a").write_text("changed\n")
    try:
        server = make_server(base=top / "repo", policy={**GROUPS, "process": {"confine": "best_effort", "user": "root"}}, token="t")
        client = server.client()
        if not client.call("core.capabilities")["confinement"]["filesystem"]:
            pytest.skip("this kernel cannot confine")
        assert changes(client, ".") == [("a", "modified", False, None)]
        assert "+changed" in diff(client, ".")["diff"]
        (top / "secret").write_text("s")
        assert client.call("devtools.code.run", code=f"cat {top}/secret || echo no", language="bash")["stdout"] == "no\n"
    finally:
        shutil.rmtree(top)


def test_a_malformed_repository(client, repo):
    config = (repo / ".git/config").read_text()
    (repo / ".git/config").write_text("[core\n")
    with expect_error("git.failed", 400, says="configuration"):
        status(client, repo)
    (repo / ".git/config").write_text(config)
    (repo / ".git/HEAD").write_text("nonsense")
    with expect_error("git.failed", 400) as caught:
        status(client, repo)
    assert "abx-git-" not in caught.error.message


def views():
    return {name for folder in ("/dev/shm", "/tmp") if os.path.isdir(folder) for name in os.listdir(folder) if name.startswith("abx-git-")}


def test_git_that_hangs_is_ended(make_server, repo):
    limits = {f"devtools.git.{op}": {"max_seconds": 1} for op in ("status", "diff")}
    client = make_server(base=repo, policy={**GROUPS, "limits": limits}).client()
    (repo / ".git/index").unlink()
    os.mkfifo(repo / ".git/index")
    for call in (status, diff):
        with expect_error("commands.timeout", 408, says="1 second"):
            call(client, repo)


def test_a_caller_who_leaves_git(make_server, repo, tmp_path):
    number, before = nap(), views()
    (tmp_path / "git").write_text(f"#!/bin/sh\nsleep {number}\n")
    (tmp_path / "git").chmod(0o755)
    client = make_server(base=repo, policy=GROUPS, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}).client()
    with client.asked("devtools.git.status"):
        eventually(lambda: sleeping(number))
        assert (made := views() - before)
    gone(number)
    eventually(lambda: not made & views(), what="the view of the repository is removed")


def test_the_environment_of_git(make_server, repo, tmp_path):
    (tmp_path / "git").write_text("#!/bin/sh\nenv >&2; exit 1\n")
    (tmp_path / "git").chmod(0o755)
    client = make_server(base=repo, policy=GROUPS, env={"PATH": f"{tmp_path}:/usr/bin:/bin", "LC_X": "not passed"}).client()
    client.call("system.env.set", vars={"MINE": "x", "XDG_CONFIG_HOME": "/evil", "EMAIL": "x"})
    (tmp_path / "git").write_text(f"#!/bin/sh\nenv > {tmp_path}/env\n")
    client.rest("devtools.git.status")
    names = {line.split("=", 1)[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert {name for name in names if not name.startswith("GIT_")} <= {"PATH", "HOME", "LC_ALL", "ABX_RUN_ID", "PWD", "SHLVL", "_", "OLDPWD"}


def test_a_token_may_only_read(make_server, repo):
    server = make_server(base=repo, policy={**GROUPS, "tokens": [token("reader", ["git:read"])]})
    client = server.client(token="reader-token")
    assert client.rest("devtools.git.status")["clean"]
    with expect_error("policy.scope_denied"):
        client.call("devtools.code.run", code="1")
