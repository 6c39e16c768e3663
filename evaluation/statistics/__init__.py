"""What results say, and how surely."""
