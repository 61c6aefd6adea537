"""The report of a benchmark: report.md, report.html in one file, and pictures. Made of results.json and predictions."""
