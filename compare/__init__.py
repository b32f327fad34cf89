"""The same honest measurement of every workload over backends, shapes and machines."""
