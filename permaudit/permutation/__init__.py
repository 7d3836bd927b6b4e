"""The mathematics of the permutation model: numpy in, numpy out."""
