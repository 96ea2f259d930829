"""Preferences from files: read, examined, written.

From a path to ``Preferences``: ``packing`` tells what a file is, ``text_tables`` and
``arrow_tables`` read its rows, ``conventions`` say what rows mean (a new one is a module there),
``recognition`` tells which of them a file follows (``refusals`` why none), ``sources`` put filters
and joined texts in between, ``vote_reading`` and ``sibling_reading`` read the rows, ``assembly``
gathers columns.
``formats`` is the door to all that; ``writing`` is the way back.
"""
