"""The system of record: its protocols, and the engines behind them."""
