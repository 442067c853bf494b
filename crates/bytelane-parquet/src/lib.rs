//! Choose, write, rewrite and read the best Parquet encoding for each column.
