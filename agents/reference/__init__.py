"""Reference opponents from other projects."""
