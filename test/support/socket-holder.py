"""Holds a socket for the API and one for the admin port as systemd does, and starts the command with them.

Prints the two ports. Each line on standard input stops the command by SIGTERM and starts it again; the end of standard
input stops it. Prints the exit code of each stop.
"""
import os
import signal
import socket
import sys


def bind():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(1024)
    return sock


def start(api, admin):
    pid = os.fork()
    if pid:
        return pid
    # Out of the way of 3 and 4, which may be these very descriptors.
    high = [os.dup2(sock.fileno(), 100 + index, inheritable=False) for index, sock in enumerate([api, admin])]
    for index, fd in enumerate(high):
        os.dup2(fd, 3 + index, inheritable=True)
    environment = dict(os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="api:admin")
    os.execvpe(sys.argv[1], sys.argv[1:], environment)


def stop(pid):
    os.kill(pid, signal.SIGTERM)
    _, status = os.waitpid(pid, 0)
    print("stopped", os.waitstatus_to_exitcode(status), flush=True)


api, admin = bind(), bind()
print("ports", api.getsockname()[1], admin.getsockname()[1], flush=True)
pid = start(api, admin)
for _ in sys.stdin:
    stop(pid)
    pid = start(api, admin)
stop(pid)
