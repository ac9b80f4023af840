"""What follows from results: who plays whom, and what the table says."""
