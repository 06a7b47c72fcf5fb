"""The DAGs and the command line, and nothing else."""
