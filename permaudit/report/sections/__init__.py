"""The parts of the report: each says in words and drawings what the outcome holds, and computes nothing."""
