"""The harness: runs training benchmarks, imports published ones, and records both to Parquet."""
