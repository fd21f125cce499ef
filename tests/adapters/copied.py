"""A converter from HPROF to HPROF whose dump is always that of a path. Its second argument is what its pair declares (JSON)."""

import json
import shutil
import sys

made, declared = sys.argv[1:]
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request["op"] == "hello":
        pair = {"from": "hprof", "to": "hprof", **json.loads(declared)}
        answer.update(protocol=2, name="copied", version="1", language="Python", converts=[pair])
    else:
        shutil.copyfile(made, request["out"])
        answer.update(status="accept")
    print(json.dumps(answer), flush=True)
