"""What the makers of forecasters' goldens share: series to read."""

import torch


def make_inputs(golden, c, context, unseen=None):
    """Four random walks and what comes after them. Where golden.mask, some values are unknown; unseen:
    (window, series) of which nothing at all is known."""
    random = torch.Generator().manual_seed(golden.seed + 1000)
    shape = (4, context + c.prediction_length, c.num_input_channels)
    series = torch.randn(shape, generator=random).cumsum(1) + 5 * torch.randn(
        shape[0], 1, shape[2], generator=random)  # fmt: skip
    if not c.scaling:  # nothing brings them to size
        series = series / 10
    inputs = {"past_values": series[:, :context].contiguous(),
              "future_values": series[:, context:].contiguous()}  # fmt: skip
    if golden.mask:
        seen = torch.rand(inputs["past_values"].shape, generator=random) < 0.7
        if unseen:
            seen[unseen[0], :, unseen[1]] = False
        inputs["past_observed_mask"] = seen
        inputs["past_values"][~seen] = 0.0
    return inputs
