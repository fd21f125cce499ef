#!/bin/bash
# Runs what deploy/ has for several machines on this one, and compares each report with that of one process:
#
#   deploy/try.sh FOLDER      FOLDER is new, and gets the campaigns
#
# GNU parallel and Slurm (slurm-wlm and munge of Debian, as root) are asked for 4 shards, one of which is killed with -9 in the
# middle. The Kubernetes Job is validated by kubernetes-validate. HEAPSMITH is the program, ADAPTER the adapter, which should
# have defects; without them heapsmith on the path, and the reference adapter.
set -euo pipefail
[ $# -eq 1 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$1"
work=$(cd "$1" && pwd)
export HEAPSMITH=${HEAPSMITH:-heapsmith}
export ADAPTER=${ADAPTER:-$HEAPSMITH adapter serve} SHARDS=4 CASES=${CASES:-2560} SEED=7 TRIALS=0 FORMAT=${FORMAT:-hprof}

told() { # folders of a campaign: its report, without what a shard has of its own
    "$HEAPSMITH" fuzz report --json "$@" | python3 -c '
import json, sys
report = json.load(sys.stdin)
report["chosen"].pop("shard", None)
for cause in report["implementations"][0]["causes"]:
    cause.pop("reduced", None)
print(json.dumps(report, sort_keys=True))' || true
}

batches() { # folder of a campaign
    grep -c '"line":"batches"' "$1/state.jsonl" 2>/dev/null || true
}

# Kills the second shard with -9 once it has two batches.
kill_one() {
    local state=$STATES/shard-2
    until [ "$(batches "$state" | grep . || echo 0)" -ge 2 ]; do sleep 0.1; done
    local pid
    pid=$(pgrep -o -f -- "fuzz .*--state $state ")
    kill -9 "$pid"
    echo "killed shard 2, which had $(batches "$state") batches"
}

compare() { # name
    if [ "$(told "$STATES"/shard-*)" = "$one" ]; then
        echo "$1: the report of 4 shards, of which one was killed, is that of one process"
    else
        echo "$1: the reports differ" >&2
        exit 1
    fi
}

STATES=$work/one SHARDS=1 "$here/shard.sh" 1
one=$(told "$work/one/shard-1")

if command -v parallel >/dev/null; then
    export STATES=$work/parallel
    kill_one &
    "$here/parallel.sh" --jobs 2
    wait
    compare "GNU parallel"
else
    echo "skipped: GNU parallel is not installed"
fi

if command -v slurmctld >/dev/null && [ "$(id -u)" -eq 0 ]; then
    export STATES=$work/slurm
    slurm=$work/slurmd
    mkdir -p "$slurm/state" "$slurm/spool"
    [ -f /etc/munge/munge.key ] || mungekey --create
    pgrep -x munged >/dev/null || { mkdir -p /run/munge && chown munge /run/munge && runuser -u munge -- munged; }
    host=$(hostname -s)
    export SLURM_CONF=$slurm/slurm.conf
    cat >"$SLURM_CONF" <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
    slurmctld
    slurmd -N "$host"
    trap 'scancel --name=heapsmith 2>/dev/null || true; kill "$(cat "$slurm/slurmd.pid")" "$(cat "$slurm/slurmctld.pid")"' EXIT
    cd "$here/.."
    # A killed shard is requeued by its engine or by whoever looks after the array: here, by a second array of that shard alone.
    kill_one &
    sbatch --wait --array=1-4 --output="$work/slurm-%a.log" deploy/slurm.sbatch || true
    wait
    SHARDS=4 sbatch --wait --array=2 --export=ALL --output="$work/slurm-again-%a.log" deploy/slurm.sbatch
    compare Slurm
else
    echo "skipped: Slurm is not installed, or this is not root"
fi

if command -v kubernetes-validate >/dev/null; then
    kubernetes-validate --strict "$here/job.yaml"
    echo "Kubernetes: the Job is valid"
else
    echo "skipped: kubernetes-validate is not installed"
fi
