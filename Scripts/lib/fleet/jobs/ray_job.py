"""The job of a user: downloads a manifest with haul.ray in a cluster that runs.

    python ray_job.py ADDRESS OUT MANIFEST OPTIONS
"""

import json
import sys
from collections import Counter

import haul.ray
import ray

if __name__ == "__main__":
    address, out, manifest, options = sys.argv[1:]
    ray.init(address=address, _node_ip_address="127.0.0.1")
    results = haul.ray.download(ray.data.read_json(manifest, lines=True), out, **json.loads(options))
    print(json.dumps(Counter(batch["state"][0] for batch in results.iter_batches(batch_size=1))), flush=True)
    ray.shutdown()
