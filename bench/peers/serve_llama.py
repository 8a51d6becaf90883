"""llama.cpp's own server (C++: slots, continuous batching, HTTP) as PyPI xllamacpp brings it.

    python serve_llama.py MODEL.gguf PORT SLOTS THREADS

What PyPI has is compiled for any x86-64 machine; built from source (`pip install --no-binary xllamacpp xllamacpp`) it is for this one.
"""

import signal
import sys

import xllamacpp


def main():
    model, port, slots, threads = sys.argv[1], *map(int, sys.argv[2:5])
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_parallel = slots
    params.n_ctx = 1024 * slots
    params.port = port
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
