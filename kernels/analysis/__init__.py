"""What recorded runs amount to: statistics, comparisons, repetitions, and reasons to be careful
with a run.
"""
