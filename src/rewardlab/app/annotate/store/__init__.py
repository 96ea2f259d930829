"""Annotation's database: projects and links, the queue, and the record that is only added to."""
