"""The site: from runs and prose to pages in each language."""
