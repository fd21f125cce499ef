"""The loop of the adapter protocol (specs/adapter.md) for adapters that start a program for each dump."""

import json
import os
import resource
import signal
import subprocess
import sys


class Refused(Exception):
    """The program says that it does not read the dump."""


class Crashed(Exception):
    """The program ended by a signal, or by a panic where there is none."""

    def __init__(self, signal_number=None):
        super().__init__(signal_number)
        self.signal_number = signal_number


class Skipped(Exception):
    """The adapter cannot put this question to the program, and says why."""


def serve(hello, operations):
    """Answers requests until standard input ends. An operation makes an answer of a request."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            answer = {"id": request["id"], **answered({"protocol": 1, **hello}, operations, request)}
        except Crashed as crash:
            die(crash)
        # ASCII, whatever the locale says.
        print(json.dumps(answer), flush=True)


def answered(hello, operations, request):
    if request["op"] == "hello":
        if hello["protocol"] in request["protocols"]:
            return hello
        return failed(f"this adapter speaks version {hello['protocol']} of the protocol alone")
    if request["op"] not in operations:
        return failed(f"no such operation: {request['op']}")
    try:
        return {"status": "accept", **operations[request["op"]](request)}
    except Refused as refusal:
        return {"status": "reject", "message": str(refusal)}
    except Skipped as skip:
        return {"status": "skip", "reason": str(skip)}
    except (OSError, ValueError, LookupError) as error:
        # What a program wrote is not what the adapter knows it to write.
        return failed(repr(error))


def failed(message):
    return {"status": "error", "message": message}


def run(command, folder):
    """What a program prints. What it says on standard error is passed on if it fails; a failure is a refusal.

    A program with several threads may go on after a panic of one of them, and end in another way.
    """
    if os.sep in command[0]:
        # A path is meant from here, and not from the folder.
        command = [os.path.abspath(command[0]), *command[1:]]
    environment = {**os.environ, "RUST_BACKTRACE": "0"}
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    if done.returncode != 0 or b"panicked at" in done.stderr:
        # Of a dump that is read the message would be taken for one of the next dump's crash.
        sys.stderr.buffer.write(done.stderr)
        sys.stderr.flush()
    if done.returncode < 0:
        raise Crashed(-done.returncode)
    if done.returncode == 101 or b"panicked at" in done.stderr:
        raise Crashed
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").split("\n")
        raise Refused(next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}"))
    return done.stdout.decode(errors="replace")


def die(crash):
    """A crash of the program becomes one of the adapter, of the same kind, so that the runner sees it."""
    if crash.signal_number is None:
        sys.exit(101)
    # The program has left its core already.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if crash.signal_number != signal.SIGKILL:
        signal.signal(crash.signal_number, signal.SIG_DFL)
    os.kill(os.getpid(), crash.signal_number)
