"""Several agents at one table: environments in the forms of PettingZoo, and tournaments between them."""
