"""What is learnt from items: findings, identities, the ledger, rules, and the runs that found it."""
