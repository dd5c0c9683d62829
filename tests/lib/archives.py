# SPDX-License-Identifier: Apache-2.0
"""Archives made entry by entry, also ones that no honest program would make."""
import io
import tarfile


class Tar:
    """A tar in memory; each method adds one entry and returns self."""

    def __init__(self, mode="w", format=tarfile.PAX_FORMAT):
        self.bytes = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode=mode, format=format, errors="surrogateescape")

    def add(self, name, data=b"", kind=tarfile.REGTYPE, target="", **facts):
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind, target, len(data)
        for key, value in facts.items():
            setattr(info, key, value)
        self.tar.addfile(info, io.BytesIO(data) if data else None)
        return self

    def folder(self, name, **facts):
        return self.add(name, kind=tarfile.DIRTYPE, **{"mode": 0o755, **facts})

    def symlink(self, name, target):
        return self.add(name, kind=tarfile.SYMTYPE, target=target)

    def link(self, name, target):
        return self.add(name, kind=tarfile.LNKTYPE, target=target)

    def done(self):
        self.tar.close()
        return self.bytes.getvalue()


def names(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return sorted(tar.getnames())
