"""What to expect of unrelated files."""

from __future__ import annotations

import math


def wilks_null_mean(p: int, q: int, n: int) -> float:
    """Return the mean of Wilks' lambda, hence of CM2, for n records of two unrelated files of p and q attributes.

    Lambda is distributed as a product of independent beta variables with parameters (n - q - i) / 2 and q / 2, for i from
    1 to p (Anderson, An Introduction to Multivariate Statistical Analysis, section 8.4), so its mean is the product of
    (n - q - i) / (n - i): 1 - m^2 / (n - 1) to first order. Exact for normal data, close for ranks. 0 where n <= p + q:
    there canonical correlations of 1 are forced.
    """
    if min(p, q) < 1:
        return 1.0
    if n <= p + q:
        return 0.0
    return math.prod((n - q - i) / (n - i) for i in range(1, p + 1))
