"""The confinement of a bot at the levels `class` and `contest`, and the test of it on this host.

`policy` is all that is denied; `bubblewrap`, `seccomp` and `cgroup` apply it; `levels` reports what a host
lacks; `selftest` runs `attacks` inside. Imports nothing of the hub.
"""
