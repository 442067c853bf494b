"""Parts that the sources of all engines share: conditions, and rows in parts."""
