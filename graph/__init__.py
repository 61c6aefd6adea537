"""One file per graph, the Python API and the command line. Imports all of the above."""
