"""What every floor of the house stands on: errors, files, YAML, places. Imports nothing of ours."""
