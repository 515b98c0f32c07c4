"""The demo corpus: six weeks of a small, invented company. `README.md` says who is who and how questions are graded."""
