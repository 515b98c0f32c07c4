"""What each write does within its transaction, in the same steps on every engine.

A writer is one transaction of one project. An engine inherits the steps and supplies the queries: the methods without a
body, which begin with an underscore.
"""
