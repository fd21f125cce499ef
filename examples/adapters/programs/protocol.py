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
    """The program ended by a signal, or by a panic where there is none. The message is what it wrote."""

    def __init__(self, message, signal_number=None):
        ended = "" if signal_number is None else f"ended by {name_of(signal_number)}: "
        super().__init__(ended + message)
        self.signal_number = signal_number


def name_of(signal_number):
    """A signal as people know it. Those for real time have no names."""
    names = {one.value: one.name for one in signal.Signals}
    return names.get(signal_number, f"signal {signal_number}")


class Skipped(Exception):
    """The adapter cannot put this question to the program, and says why."""


def serve(hello, operations):
    """Answers requests until standard input ends. An operation makes an answer of a request."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = {"id": request["id"], **answered({"protocol": 1, **hello}, operations, request)}
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
    except Crashed as crash:
        # Nothing of the program is left, so that the adapter goes on.
        return {"status": "crash", "message": str(crash)}
    except (OSError, ValueError, LookupError) as error:
        # What a program wrote is not what the adapter knows it to write.
        return failed(repr(error))


def failed(message):
    return {"status": "error", "message": message}


def run(command, folder):
    """What a program prints. A failure is a refusal.

    A program with several threads may go on after a panic of one of them, and end in another way.
    """
    if os.sep in command[0]:
        # A path is meant from here, and not from the folder.
        command = [os.path.abspath(command[0]), *command[1:]]
    environment = {**os.environ, "RUST_BACKTRACE": "0"}
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    messages = done.stderr.decode(errors="replace")
    if done.returncode < 0:
        raise Crashed(messages, -done.returncode)
    if done.returncode == 101 or "panicked at" in messages:
        raise Crashed(messages)
    if done.returncode != 0:
        lines = messages.split("\n")
        raise Refused(next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}"))
    return done.stdout.decode(errors="replace")


def die(crash):
    """A crash of the program becomes one of the adapter, of the same kind, where the adapter makes one conversion alone."""
    print(crash, file=sys.stderr)
    if crash.signal_number is None:
        sys.exit(101)
    # The program has left its core already.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if crash.signal_number != signal.SIGKILL:
        signal.signal(crash.signal_number, signal.SIG_DFL)
    os.kill(os.getpid(), crash.signal_number)
