"""What soak.py asks a server for: every path with what belongs there, requests that are wrong, and bytes that are none."""

import json

TEMPLATE = "{% for m in messages %}{{ m.role[0] }} {{ m.content }} {% endfor %}= "
MESSAGES = [{"role": "user", "content": "b a"}]


def well_behaved(server):
    """One function for each thing that can be asked, as (status, method, path, body)."""
    models = {m["id"]: m for m in server.get("/api/models")["models"]}
    csv = server.get("/api/models/patchtst")["example"]["csv"]
    image = server.get("/api/models/vit")["example"]["image"]
    kept = {"vit": server.post("/api/inputs", {"image": image})["id"], "patchtst": server.post("/api/inputs", {"csv": csv})["id"]}
    asks = [("GET", path, None) for path in ("/", "/page.js", "/page.css", "/icon.svg", "/health", "/api/state", "/api/models", "/api/runs",
                                             "/api/runs/gpt2", "/api/lessons", "/api/lessons?lang=ko", "/api/exercises?chapter=2&seed=3",
                                             "/api/positions?kind=sinusoidal&length=32&width=16", "/api/positions?kind=alibi&heads=4",
                                             f"/api/inputs/{kept['vit']}")]
    asks += [("POST", "/api/inputs", {"image": image}), ("POST", "/api/inputs", {"csv": csv}),
             ("POST", "/api/lessons/softmax", {"inputs": {"x": "1,2,3"}}), ("POST", "/api/lessons/attention", {"lang": "ko", "causal": True}),
             ("POST", "/api/exercises/mark", {"id": "1.1", "seed": 3, "answer": "32"}),
             ("POST", "/api/runs/gpt2/film", {"step": 6, "what": "attention", "input": {"text": "b a ="}})]
    for name, m in models.items():
        path, given = f"/api/models/{name}", [{"file": kept.get(name, "example")}, {"file": "example"}]
        if m["reads"] == "text":
            given = [{"text": "b a d" if m["task"] != "fill" else "b [MASK] d"}, {"text": "2031"}]
        asks.append(("GET", path, None))
        for value in given:
            asks += [("POST", f"{path}/{what}", {"input": value}) for what in ("attention", "steps", "norms", "stream")]
            asks += [("POST", f"{path}/inspect", {"what": what, "input": value}) for what in ("shapes", "trace", "attention", "heads")]
            asks += [("POST", f"{path}/ablate", {"input": value, "off": "ffn:0"}), ("POST", f"{path}/ablate", {"input": value, "off": "scale", "form": "svg"})]
        if m["task"] == "generate":
            asks += [("POST", f"{path}/generate", {"prompt": "b a = ", "predict": 8}), ("POST", f"{path}/next", {"prompt": "b a = "})]
        if m["task"] == "translate":
            asks.append(("POST", f"{path}/translate", {"text": "2031" if name == "quickstart" else "b a d", "beams": 2, "alignment": True}))
        if m["task"] == "fill":
            asks.append(("POST", f"{path}/fill", {"text": "b [MASK] d"}))
        if m["task"] == "classify":
            asks.append(("POST", f"{path}/classify", {"input": given[0]}))
        if m["task"] == "forecast":
            asks.append(("POST", f"{path}/forecast", {"input": {"file": "example"}, "horizon": 4}))
        if m["reads"] == "text":
            asks += [("POST", f"{path}/tokens", {"text": "b a"})]
    wrong = [(404, "GET", "/api/none", None), (404, "GET", "/api/models/none", None), (404, "GET", "/api/attention/none/thumbnails", None),
             (404, "GET", "/api/runs/..%2f..%2fetc", None), (404, "GET", "/%2e%2e/%2e%2e/etc/passwd", None), (404, "GET", "/api/inputs/none", None),
             (405, "POST", "/api/models", {}), (400, "POST", "/api/models/gpt2/attention", {"inptu": {}}),
             (400, "POST", "/api/models/gpt2/attention", []), (400, "POST", "/api/models/gpt2/inspect", {"what": "everything"}),
             (400, "POST", "/api/models/gpt2/ablate", {"input": {"text": "a"}, "off": "head:99.99"}),
             (400, "POST", "/api/models/gpt2/generate", {"prompt": "a", "predict": -1}),
             (400, "POST", "/api/models/gpt2/generate", {"prompt": "a", "temperature": -1}),
             (400, "POST", "/api/models/gpt2/next", {"prompt": "a", "top_p": 7}),
             (400, "POST", "/api/models/gpt2/next", {"prompt": 5}), (400, "POST", "/api/models/vit/attention", {"input": {"text": "a"}}),
             (404, "POST", "/api/models/vit/attention", {"input": {"file": "none"}}), (404, "POST", "/api/lessons/none", {}),
             (400, "POST", "/api/lessons/softmax", {"inputs": {"x": "@/etc/passwd"}}), (400, "POST", "/api/inputs", {"image": "!!"}),
             (400, "GET", "/api/positions?kind=sinusoidal&length=-1", None), (400, "GET", "/api/positions?kind=none", None)]
    served, refused = openai_asks()
    return [(200, *ask) for ask in asks + served] + wrong + refused


def openai_asks():
    """What programs ask, and what they are refused."""
    text = lambda **more: ("POST", "/v1/completions", {"model": "gpt2", "prompt": "b a", "max_tokens": 6} | more)
    chat = lambda **more: ("POST", "/v1/chat/completions", {"model": "chat", "messages": MESSAGES, "max_tokens": 6} | more)
    served = [("GET", path, None) for path in ("/v1/models", "/metrics", "/tokenizer_info?model=gpt2")]
    served += [text(), text(temperature=0), text(stream=True), text(n=3, seed=-7), text(prompt=["a b", "c"], stop=["d"]), text(echo=True, logprobs=2),
               text(model="llama", top_k=3, top_p=0.9, repetition_penalty=1.1), text(model="falcon", logit_bias={"3": -5}, presence_penalty=0.5),
               text(stream=True, n=2, stream_options={"include_usage": True}), text(max_tokens=0, echo=True, logprobs=1),
               chat(), chat(stream=True), chat(logprobs=True, top_logprobs=2), chat(colour="red"),
               ("POST", "/v1/embeddings", {"model": "bert", "input": ["b a", "d"]}),
               ("POST", "/v1/embeddings", {"model": "bert", "input": "b a", "encoding_format": "base64"}),
               ("POST", "/tokenize", {"model": "gpt2", "prompt": "b a"}), ("POST", "/detokenize", {"model": "gpt2", "tokens": [3, 4]}),
               ("POST", "/v1/translate", {"model": "quickstart", "text": "2031"}), ("POST", "/v1/fill", {"model": "bert", "text": "b [MASK] d"}),
               ("POST", "/v1/classify", {"model": "labels", "input": {"text": "b a d"}}),
               ("POST", "/v1/forecast", {"model": "patchtst", "input": {"file": "example"}, "horizon": 4})]
    refused = [(400, *text(**{field: value})) for field, value in (
        ("stream", "true"), ("max_tokens", -1), ("temperature", -1), ("top_p", 2), ("n", 0), ("stop", ""), ("seed", 2**64), ("suffix", "x"),
        ("logit_bias", {"99999999": 1}), ("prompt", {}), ("prompt", [3] * 5000), ("prompt", [99999999]))]
    refused += [(404, *text(model="none")), (404, *chat(model="none")), (400, *chat(messages=[])), (400, *chat(messages=[{"role": "user"}])),
                (400, *chat(response_format={"type": "json_schema", "json_schema": {"schema": {"allOf": []}}})),
                (400, "POST", "/v1/embeddings", {"model": "bert", "input": ""}), (405, "GET", "/v1/completions", None),
                (404, "GET", "/v1/none", None), (400, "POST", "/detokenize", {"model": "gpt2", "tokens": [-1]})]
    return served, refused


def hostile():
    """Bytes and the statuses they may get; None: the connection may just end."""
    head = b"POST /api/inputs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    get = lambda more=b"", path=b"/health": b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + more + b"\r\n"
    chunks = head + b"Transfer-Encoding: chunked\r\n\r\n"
    post = lambda body: head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    out = [(400, b"nonsense\r\n\r\n"), (414, get(path=b"/" + b"a" * 65536)), (431, get(b"".join(b"A%d: 1\r\n" % i for i in range(101)))),
           (401, get(b"Authorization: Bearer " + b"a" * 1000000 + b"\r\n")), (431, get(b"A: " + b"a" * 40000 + b"\r\n")), (400, get(b"A: \x00\r\n")), (400, get(b"A: \x07\r\n")), (400, get(b"A: 1\r\n b: 2\r\n")),
           (400, get(b"A : 1\r\n")), (400, b"GET /health HTTP/1.1\nHost: localhost\n\n"), (400, head + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
           (400, head + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), (400, head + b"Transfer-Encoding: xchunked\r\n\r\n"),
           (400, head + b"Transfer-Encoding: gzip, chunked\r\n\r\n"), (400, head + b"Content-Length: 1e3\r\n\r\n"), (400, head + b"Content-Length: -1\r\n\r\n"),
           (413, head + b"Content-Length: 18446744073709551616\r\n\r\n"), (413, head + b"Content-Length: 99999999\r\n\r\n"),
           (415, head + b"Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na"), (400, b"GET /\r\n\r\n"), (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
           (505, b"GET /health HTTP/1.2\r\nHost: localhost\r\n\r\n"), (405, b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
           (405, b"TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n"), (404, get(path=b"http://localhost/health")), (404, get(path=b"//health")),
           (404, get(path=b"/../health")), (404, get(path=b"/%2e%2e/health")), (404, get(path=b"/health%00")), (400, b"GET /health HTTP/1.1\r\n\r\n"),
           (400, get(b"Host: localhost\r\n")), (403, b"GET /health HTTP/1.1\r\nHost: rebound.example\r\n\r\n"), (417, head + b"Expect: a-gift\r\nContent-Length: 1\r\n\r\na"),
           (415, b"POST /api/inputs HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\na"),
           (403, get(b"Origin: http://other.example\r\n")), (403, get(b"Sec-Fetch-Site: cross-site\r\n")), (400, post(b"{\"csv\": x}")), (400, post(b"[" * 65 + b"]" * 65)),
           (400, post(b"[" * 1000000)), (400, post(b"{\"csv\": \"\xff\"}")), (400, post(b"{\"csv\": \"a\", \"csv\": \"b\"}")), (400, post(b"")),
           (200, get() + b"garbage\r\n\r\n"), (200, get(b"A: %0d%0aB: 1\r\n"))]
    out += [(400, chunks + part) for part in (b"-2\r\nab\r\n", b"0x5\r\nabcde\r\n", b"+5\r\nabcde\r\n", b"11111111111111111\r\n")]
    out += [(400, chunks + b"1;" + b"x" * 200000), (None, get()[:20]), (None, head + b"Content-Length: 100\r\n\r\n{"), (None, chunks + b"3\r\nabc\r\n"), (None, b"")]
    work = json.dumps({"prompt": "b a = ", "predict": 40}).encode()
    out += [(None, b"POST /api/models/gpt2/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(work) + work)]
    work = json.dumps({"model": "gpt2", "prompt": "b a", "max_tokens": 30, "n": 16, "stream": True}).encode()
    said = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    out += [(None, said + b"Content-Length: %d\r\n\r\n" % len(work) + work), (400, said + b"Content-Length: 1\r\n\r\n{"),
            (413, said + b"Content-Length: 99999999\r\n\r\n"), (None, said + b"Content-Length: 100\r\n\r\n{\"model\": ")]
    return out
