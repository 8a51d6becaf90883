"""What soak.py asks a server for: every path with what belongs there, requests that are wrong, and bytes that are none."""

import json

import kinds

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
    out = [(status, data) for _, _, status, data in kinds.PLAIN]
    out += [(None, kinds.get()[:20]), (None, kinds.HEAD + b"Content-Length: 100\r\n\r\n{"), (None, kinds.CHUNKS + b"3\r\nabc\r\n"), (None, b"")]
    work = json.dumps({"prompt": "b a = ", "predict": 40}).encode()
    out += [(None, kinds.post(work, "/api/models/gpt2/generate"))]
    work = json.dumps({"model": "gpt2", "prompt": "b a", "max_tokens": 30, "n": 16, "stream": True}).encode()
    said = kinds.HEAD.replace(b"/api/inputs", b"/v1/completions")
    return out + [(None, kinds.post(work, "/v1/completions")), (400, said + b"Content-Length: 1\r\n\r\n{"),
                  (413, said + b"Content-Length: 99999999\r\n\r\n"), (None, said + b"Content-Length: 100\r\n\r\n{\"model\": ")]
