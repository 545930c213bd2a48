"""Fleets on one machine: Spark, Ray and Slurm, against servers that count."""
