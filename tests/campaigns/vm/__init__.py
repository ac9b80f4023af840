"""A whole machine for what an ordinary host cannot show: `make vm`.

It makes a Debian system in a folder, with systemd, bubblewrap, the referee as docs/operations.md installs
it, and this source tree; turns it into a disk; boots it in an emulated machine without a network; and lets
`guest.py` try there, one after the other, what needs control groups of version 2 and systemd:

- `referee doctor` at every level, as root and as an ordinary user in a group of its own;
- tests that ask the kernel whether it keeps to the limits of a group;
- the units of `deploy/`: start, health, matches, the end, a kill;
- a contest with hostile bots that want more memory, processes or processors than they may have.

Every check is a line, `ok` or `WRONG`, with what was seen below it. The exit code is 1 if one is wrong or
missing, 2 if a tool is missing. The machine powers itself off; if it does not, a time limit ends it.

What it needs: Linux on x86_64, root (a system is unpacked with its users), debootstrap, mke2fs, QEMU, and
the package mirror this host itself uses. Some 3 GB of disk, 2 GB of memory, and half an hour: processors
are emulated unless you ask for others (`make vm ARGS='--accel kvm'`). The system without the referee
is kept in the folder (`--folder`) for the next time.
"""
