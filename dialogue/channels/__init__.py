"""Channels: people write to an assistant from elsewhere, such as Telegram or e-mail, and get its lines there."""
