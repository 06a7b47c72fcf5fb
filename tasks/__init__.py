"""One room per stage, in the order the data flows. Rooms share ``tasks.domain`` and nothing else."""
