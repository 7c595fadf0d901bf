"""Texts that people read: templates, and the built-in responses."""

from dialogue.engine.wording import Lookup, Template, TemplateRefused, Translated

__all__ = ["Lookup", "Template", "TemplateRefused", "Translated"]
