"""Offline training of a Domicile snapshot: item embeddings, query tower, full and compact ranker."""
