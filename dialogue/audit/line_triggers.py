"""A trigger that tells channels of lines: it raises `latest` of the conversation's thread when a line is written.

It does so in the transaction that writes the line, so that no code that writes one can forget to tell. What the
customer wrote is not told: channels have it.
"""

from dialogue.audit.triggers import InstallTriggers, Triggers

_NAME = "channel_line"
_CONDITION = "NEW.role <> 'user'"
_UPDATE = "UPDATE dialogue_channelthread SET latest = NEW.seq WHERE conversation_id = NEW.conversation_id;"
_DROP = {
    "sqlite": f"DROP TRIGGER IF EXISTS {_NAME}",
    "postgresql": f"DROP TRIGGER IF EXISTS {_NAME} ON dialogue_message",
}
_INSTALLATION = {
    "sqlite": (
        _DROP["sqlite"],
        f"CREATE TRIGGER {_NAME} AFTER INSERT ON dialogue_message FOR EACH ROW WHEN {_CONDITION} BEGIN {_UPDATE} END",
    ),
    "postgresql": (
        f"CREATE OR REPLACE FUNCTION {_NAME}() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN {_UPDATE} RETURN NULL; END $$",
        _DROP["postgresql"],
        f"CREATE TRIGGER {_NAME} AFTER INSERT ON dialogue_message FOR EACH ROW "
        f"WHEN ({_CONDITION}) EXECUTE FUNCTION {_NAME}()",
    ),
}


LINE_TRIGGER = Triggers(
    "lines of channels",
    frozenset({"dialogue_channelthread", "dialogue_message"}),
    lambda vendor: _INSTALLATION[vendor],
    lambda vendor: (_DROP[vendor],),
)


class LineTrigger(InstallTriggers):
    """Install the trigger that tells channels of lines."""

    triggers = LINE_TRIGGER
