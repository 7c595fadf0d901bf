"""Trains what `dialogue/nlu/heads` uses, from public data and generated sentences. For developers; never imported."""
