"""Random settings of generation_config.json, for make_generation.py and check_generation.py."""


class Draw:
    """Settings for a model of `vocab` tokens and a prompt of `prompt` tokens."""

    def __init__(self, random, vocab, prompt):
        self.random, self.vocab, self.prompt = random, vocab, prompt

    def tokens(self, least, most):
        return [self.random.randrange(self.vocab) for _ in range(self.random.randint(least, most))]

    def number(self, low, high):
        return round(self.random.uniform(low, high), 3)

    def maybe(self, share=0.22):
        return self.random.random() < share

    def ends(self):
        first = self.random.randrange(self.vocab)
        return self.random.choice([first, first, [first] + self.tokens(1, 2), None])

    def lengths(self):
        more = self.random.randint(1, 12)
        out = {"max_new_tokens": more} if self.maybe(0.5) else {"max_length": self.prompt + more}
        if self.maybe():
            out["min_new_tokens"] = self.random.randint(0, 6)
        if self.maybe():
            out["min_length"] = self.prompt + self.random.randint(0, 6)
        return out

    def rules(self, eos):
        random, out = self.random, {}
        choices = {
            "repetition_penalty": lambda: self.number(0.7, 2),
            "encoder_repetition_penalty": lambda: self.number(0.7, 1.6),
            "no_repeat_ngram_size": lambda: random.randint(0, 4),
            "encoder_no_repeat_ngram_size": lambda: random.randint(0, 3),
            "bad_words_ids": lambda: [self.tokens(1, 1), self.tokens(1, 1), self.tokens(2, 3)],
            "suppress_tokens": lambda: self.tokens(1, 6),
            "begin_suppress_tokens": lambda: self.tokens(1, 12),
            "forced_bos_token_id": lambda: random.randrange(self.vocab),
            "forced_eos_token_id": lambda: random.choice([self.tokens(1, 1)[0], self.tokens(2, 2)]),
            "sequence_bias": lambda: [[self.tokens(1, 1), self.number(-4, 4)],
                                      [self.tokens(2, 2), self.number(-9, 9)],
                                      [self.tokens(1, 1), self.number(-4, 4)]],
            "remove_invalid_values": lambda: random.random() < 0.5,
            "renormalize_logits": lambda: random.random() < 0.5,
        }
        for key, value in choices.items():
            if self.maybe():
                out[key] = value()
        if self.maybe() and eos is not None:
            out["exponential_decay_length_penalty"] = [random.randint(0, 4), self.number(1.0, 1.6)]
            # An end that may not come yet would be a finite number, whose growth is infinite.
            out.pop("remove_invalid_values", None)
        forced = out.get("forced_eos_token_id"), out.get("forced_bos_token_id")
        banned = set(out.get("suppress_tokens", []))
        if any(x is not None and set([x] if isinstance(x, int) else x) & banned for x in forced):
            del out["suppress_tokens"]  # transformers refuses these together
        return out

    def filters(self):
        out = {}
        choices = {
            "temperature": lambda: self.number(0.3, 2.2),
            "top_k": lambda: self.random.choice([0, 1, 3, 10, 30, 1000]),
            "top_p": lambda: self.number(0.2, 1),
            "min_p": lambda: self.number(0, 0.3),
            "top_h": lambda: self.number(0.2, 1),
            "typical_p": lambda: self.number(0.3, 0.99),
            "epsilon_cutoff": lambda: self.number(0.001, 0.05),
            "eta_cutoff": lambda: self.number(0.001, 0.1),
        }
        for key, value in choices.items():
            if self.maybe(0.3):
                out[key] = value()
        return out

    def beams(self):
        width = self.random.randint(2, 5)
        return {"num_beams": width, "num_return_sequences": self.random.randint(1, width),
                "length_penalty": self.random.choice([-1.0, 0.0, 0.6, 1.0, 2.0]),
                "early_stopping": self.random.choice([True, False, "never"])}

    def settings(self, kind):
        """kind: greedy, beam, sample or beam_sample."""
        eos = self.ends()
        out = {"do_sample": "sample" in kind, "eos_token_id": eos, "pad_token_id": 0}
        out |= self.lengths() | self.rules(eos)
        if "beam" in kind:
            out |= self.beams()
        if "sample" in kind:
            out |= self.filters()
        # Several forced tokens are equally likely: which of them comes first torch leaves open.
        if isinstance(out.get("forced_eos_token_id"), list) and kind != "greedy":
            out["forced_eos_token_id"] = out["forced_eos_token_id"][0]
        return out


# Values that ask for what jogak does not do, each by its key.
REFUSED = {"num_beam_groups": 2, "diversity_penalty": 0.5, "penalty_alpha": 0.6, "dola_layers": "low",
           "guidance_scale": 1.5, "token_healing": True, "prompt_lookup_num_tokens": 3,
           "max_time": 5.0, "force_words_ids": [[3]], "constraints": [1], "use_mtp": True,
           "watermarking_config": {"bias": 2.5}, "assistant_early_exit": 1,
           "cache_implementation": "quantized"}
