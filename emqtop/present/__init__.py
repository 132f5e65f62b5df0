"""Columns, rows, plain text and JSON; knows no terminal library."""
