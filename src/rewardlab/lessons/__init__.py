"""The course: chapters, formulas, flashcards, a glossary and quizzes over the systems."""
