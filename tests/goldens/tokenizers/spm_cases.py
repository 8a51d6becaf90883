"""What PyPI sentencepiece makes of texts and of ids, in the form the tests read."""
import random

from strings import SPACES, random_string


def case(sp, text):
    """Ids, pieces, offsets in characters, and the text again."""
    proto = sp.encode(text, return_type="proto")
    ids = sp.encode(text, return_type=int)
    pieces = sp.encode(text, return_type=str)
    assert ids == [p.id for p in proto.pieces] and pieces == [p.piece for p in proto.pieces]
    characters = [0] * (len(text.encode()) + 1)
    at = 0
    for number, c in enumerate(text):
        size = len(c.encode())
        characters[at:at + size] = [number] * size
        at += size
    characters[at] = len(text)
    return {"text": text, "ids": ids, "tokens": pieces,
            "offsets": [[characters[p.begin], characters[p.end]] for p in proto.pieces],
            "decoded": sp.decode(ids)}


def decoding(sp, ids):
    return {"ids": ids, "decoded": sp.decode(ids)}


def text_of_pieces(rng, sp):
    """Pieces of the model one after the other, spaced and broken at random."""
    out = []
    for _ in range(rng.randrange(1, 16)):
        piece = sp.id_to_piece(rng.randrange(sp.get_piece_size()))
        out.append(piece.replace("\u2581", " ") if rng.random() < 0.9 else piece)
        if rng.random() < 0.1:
            out.append(rng.choice([random_string(rng), rng.choice(SPACES), "\u2581", "  "]))
        if rng.random() < 0.1 and out[-1]:
            out[-1] = out[-1][:rng.randrange(len(out[-1]))]
    return "".join(out)


def repeats(rng, sp):
    piece = sp.id_to_piece(rng.randrange(sp.get_piece_size())).replace("\u2581", " ")
    return (piece + rng.choice(["", " ", "x"])) * rng.randrange(1, 60)


def random_texts(sp, count, seed):
    rng = random.Random(seed)
    makers = [lambda: random_string(rng), lambda: text_of_pieces(rng, sp),
              lambda: text_of_pieces(rng, sp), lambda: repeats(rng, sp)]
    return [rng.choice(makers)() for _ in range(count)]


def random_ids(sp, count, seed):
    rng = random.Random(seed)
    size = sp.get_piece_size()
    special = [i for i in range(size) if sp.is_control(i) or sp.is_byte(i) or sp.is_unknown(i)]
    spaced = [i for i in range(size) if sp.id_to_piece(i).startswith("\u2581")] or [0]

    def one():
        kind = rng.random()
        if kind < 0.4:
            return rng.choice(special)
        return rng.choice(spaced) if kind < 0.6 else rng.randrange(size)

    return [[one() for _ in range(rng.randrange(1, 14))] for _ in range(count)]
