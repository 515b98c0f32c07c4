"""Entities, events and evidence; identities, the ledger, rules, echoes and runs."""
