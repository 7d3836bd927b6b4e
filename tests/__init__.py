"""The tests; a package, so that those of one room can use the helpers of another from wherever they are run."""
