"""How well one candidate answers a query: each signal a small module, and the recipe that weighs them."""
