"""The words of the editor's fields: labels of keys, of values and of step types, in the reader's language."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from dialogue.engine.slots.builtin_responses import RESPONSES
from dialogue.web.flows.graph import step_looks


def panel_words() -> dict[str, Any]:
    """The words as {labels, values, types, phrases, looks, responses}; a key without a label is shown as its name.

    `labels` are by key or by part and key, such as "Human.title".
    """
    return {
        "labels": {**_labels_of_keys(), **_labels_of_parts(), **_labels_of_documents()},
        "values": _values(),
        "types": _step_types(),
        "phrases": _phrases(),
        "looks": step_looks(),
        "responses": _responses(),
    }


def schema_in_words(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of the flow language with the descriptions of its keys in the reader's language."""
    return {**schema, "$defs": {name: _part_in_words(part) for name, part in schema["$defs"].items()}}


def _part_in_words(part: Mapping[str, Any]) -> dict[str, Any]:
    keys = {
        key: {**spec, "description": _(spec["description"])} if spec.get("description") else spec
        for key, spec in part.get("properties", {}).items()
    }
    return {**part, "properties": keys} if keys else dict(part)


def _responses() -> dict[str, dict[str, str]]:
    """What each response says and the group that it stands in: {key: {group, text}}, group by group."""
    is_spanish = (get_language() or "").startswith("es")
    groups = {
        _("Questions and values"): (
            "ask rejected corrected claimed cleared cannot_skip already_done ask_change offer_change "
            "missing_nothing missing_answer file_not_expected"
        ),
        _("Options and lists"): (
            "more_options which_option confirm_option only_option no_match no_options option_gone option_changed "
            "none_of_these and_more empty_list unknown_item which_item item_skipped item_corrected"
        ),
        _("Answers and help"): (
            "answer answer_from no_answer explain help chitchat cannot_handle clarify empty_message message_too_long"
        ),
        _("Beginning and ending"): (
            "cancelled nothing_to_cancel resumed offer_resume plan confirm_restart restarted not_allowed need_not_met "
            "too_many_flows dropped session_ended"
        ),
        pgettext("group of texts", "Waiting"): (
            "waiting still_waiting status status_waiting status_idle status_timed expired timed_out reminder notice "
            "opted_out opted_in"
        ),
        _("People and failures"): ("handoff handoff_nobody handed_back action_failed loop_limit too_many_items error"),
    }
    group_by_key = {key: group for group, keys in groups.items() for key in keys.split()}
    keys = [*group_by_key, *sorted(RESPONSES.keys() - group_by_key.keys())]
    return {
        key: {
            "group": group_by_key.get(key, _("Others")),
            "text": RESPONSES[key].spanish if is_spanish else RESPONSES[key].english,
        }
        for key in keys
    }


def _labels_of_keys() -> dict[str, str]:
    return {
        "next": _("Next step"),
        "note": _("Note for authors"),
        "metadata": _("Values for programs"),
        "message": _("Message"),
        "title": _("Title"),
        "description": _("Description"),
        "examples": _("Examples"),
        "buttons": _("Buttons"),
        "options": _("Options"),
        "on_error": _("If it fails"),
        "on_timeout": _("If the time is over"),
        "on_failure": _("After the last attempt"),
        "on_empty": _("If there are no options"),
        "timeout": _("Time limit"),
        "max_attempts": _("Attempts"),
        "reminder": _("Reminder"),
        "due": _("Due within"),
        "queue": _("Queue"),
        "each": _("List to show"),
        "line": _("Line of an entry"),
        "empty": _("Text for an empty list"),
        "limit": _("Most entries"),
        "table": _("Table"),
        "links": _("Links"),
        "image": _("Image"),
        "inputs": _("Inputs"),
        "outputs": _("Results"),
        "label": _("Label"),
        "value": _("Value"),
        "synonyms": _("Other words"),
        "flow": _("Flow"),
        "slot": _("Slot"),
        "slots": _("Slots"),
        "when": _("If"),
        "else": _("Otherwise"),
    }


def _labels_of_parts() -> dict[str, str]:
    return {
        "Step.step": _("Name"),
        "Say.ack": _("Wait for an “OK”"),
        "Say.options": _("Texts of the “OK” button"),
        "Collect.slot": _("What is asked for"),
        "Collect.message": _("Question, instead of the slot's"),
        "Collect.force": _("Ask even if it is known"),
        "Collect.single": _("If there is only one option"),
        "Confirm.message": _("Question"),
        "Confirm.options": _("Answers"),
        "Confirm.on_confirm": _("After “yes”"),
        "Confirm.on_deny": _("After “no”"),
        "Action.call": _("Action"),
        "Action.retry": _("Try again"),
        "Branch.cases": _("Cases"),
        "Branch.else": _("Otherwise"),
        "While.condition": _("Repeat while"),
        "While.max_iterations": _("Most rounds"),
        "ForEach.item": _("Name of an entry"),
        "ForEach.in": _("List"),
        "ForEach.per_item": _("Slots of one round"),
        "ForEach.gather": _("Collect into lists"),
        "ForEach.max_items": _("Most entries"),
        "Call.result": _("Slot for how it ended"),
        "Human.title": _("Title for staff"),
        "Human.message": _("Message to the customer"),
        "Human.group": _("Group"),
        "Human.summary": _("Text in lists and mails"),
        "Human.show": _("Values to show"),
        "Human.bind": _("Values that cancel it when they change"),
        "Human.form": _("Form"),
        "Human.actions": _("Actions"),
        "Human.priority": _("Priority"),
        "Human.escalate": _("Escalate"),
        "Human.claim": _("Must be claimed first"),
        "Human.required": _("People who must agree"),
        "Human.four_eyes": _("Not by the person who asked"),
        "Human.channels": _("Ask by e-mail"),
        "HumanAction.id": _("Name"),
        "HumanAction.style": pgettext("of a button", "Look"),
        "HumanAction.reason": _("Needs a reason"),
        "Handoff.message": _("Message to the customer"),
        "WaitStep.for": _("Time"),
        "WaitStep.until": _("Moment"),
        "WaitStep.event": _("Event"),
        "WaitStep.match": _("Only if"),
        "Escalation.after": _("After"),
        "Escalation.role": _("Group"),
        "Reminder.after": _("After"),
        "Retry.attempts": _("Attempts"),
        "Retry.delay": _("Pause"),
        "Retry.backoff": _("Factor of the pause"),
        "Channel.email": _("E-mail address"),
        "Channel.role": _("Group"),
        "OptionsFrom.from": _("List"),
        "OptionsFrom.when": _("Only if"),
        "OptionsFrom.attributes": _("Fields that people may name"),
        "OptionsFrom.page_size": _("Options at a time"),
        "EntryButtons.from": _("List"),
        "MessageTable.from": _("List"),
        "MessageTable.columns": _("Columns"),
        "MessageLink.url": _("Address"),
        "MessageImage.url": _("Address"),
        "MessageImage.alt": _("What the image shows"),
    }


def _labels_of_documents() -> dict[str, str]:
    return {
        "Slot.type": _("Type"),
        "Slot.title": _("Name in messages"),
        "Slot.prompt": _("Question"),
        "Slot.default": _("Value at the start"),
        "Slot.required": _("Required"),
        "Slot.sensitive": _("Sensitive"),
        "Slot.validator": _("Check"),
        "Slot.invalid": _("Message when a value is refused"),
        "Slot.minimum": _("Least value"),
        "Slot.maximum": _("Greatest value"),
        "Slot.min_length": _("Shortest"),
        "Slot.max_length": _("Longest"),
        "Slot.pattern": _("Pattern"),
        "Slot.not_past": _("Today or later"),
        "Slot.not_future": _("Today or earlier"),
        "Slot.weekdays": _("Monday to Friday"),
        "Slot.currency": _("Currency"),
        "Slot.items": _("Entries"),
        "Slot.fields": _("Fields"),
        "Slot.kinds": _("Kinds of file"),
        "Slot.max_size": _("Largest file"),
        "Slot.source": _("Filled by"),
        "Slot.claim": pgettext("of a token", "Claim"),
        "Flow.start": _("May be started by a message"),
        "Flow.if": _("Only if"),
        "Flow.else_say": _("Message otherwise"),
        "Flow.needs": _("Needs"),
        "Flow.settings": _("Settings"),
        "Assistant.language": _("Language"),
        "Assistant.timezone": _("Time zone"),
        "Assistant.settings": _("Settings"),
        "Assistant.records": _("Records"),
        "Assistant.actions": _("Actions"),
        "Assistant.events": _("Events"),
        "Assistant.knowledge": _("Knowledge"),
        "Assistant.responses": _("Responses"),
        "Assistant.phrases": _("Phrases of users"),
        "QuietHours.from": pgettext("a time of day", "From"),
        "QuietHours.to": pgettext("a time of day", "Until"),
        "OptOut.words": _("Words that refuse"),
        "OptOut.back": _("Words that allow it again"),
        "SteeringPhrases.yes": _("Yes"),
        "SteeringPhrases.no": _("No"),
        "SteeringPhrases.cancel": _("Cancel the flow"),
        "SteeringPhrases.skip": _("Skip the question"),
        "SteeringPhrases.repeat": _("Repeat the question"),
        "SteeringPhrases.help": _("Ask for help"),
        "SteeringPhrases.person": _("Ask for a person"),
        "SteeringPhrases.restart": _("Begin again"),
        "SteeringPhrases.why": _("Ask why"),
        "SteeringPhrases.status": _("Ask how far it is"),
        "SteeringPhrases.small_talk": _("Small talk"),
        "ActionContract.idempotent": _("Safe to repeat"),
        "ActionContract.effect": _("Effect"),
        "ActionContract.version": _("Version"),
        "Knowledge.questions": _("Questions"),
        "Knowledge.answer": _("Answer"),
        "Record.fields": _("Fields"),
        "EventContract.payload": _("What comes with it"),
        "EventContract.start": _("Flow that it starts"),
        "Settings.resume": _("After an interruption"),
        "Settings.session_timeout": _("A conversation ends after"),
        "Settings.paused_limit": _("A paused flow ends after"),
        "Settings.quiet_hours": _("Quiet hours"),
        "Settings.opt_out": _("Words that refuse messages"),
        "Settings.on_error": _("Flow after a failure"),
        "Settings.on_handoff": _("Flow when a person is asked for"),
        "Settings.max_depth": _("Most open flows"),
        "Settings.max_steps_per_turn": _("Most steps in a turn"),
    }


def _values() -> dict[str, str]:
    return {
        "text": _("Text"),
        "integer": _("Whole number"),
        "number": _("Number"),
        "boolean": _("Yes or no"),
        "date": _("Date"),
        "time": _("Time of day"),
        "datetime": _("Date and time"),
        "email": _("E-mail address"),
        "phone": _("Phone number"),
        "money": _("Money"),
        "choice": _("Choice"),
        "list": _("List"),
        "object": _("Object"),
        "file": _("File"),
        "primary": _("Approves"),
        "danger": _("Warns"),
        "default": _("Plain"),
        "none": _("Only reads"),
        "some": _("Changes something"),
        "auto": _("Continue at once"),
        "ask": _("Ask"),
        "take": _("Take it"),
        "confirm": _("Ask for a yes"),
        "low": _("Low"),
        "normal": _("Normal"),
        "high": _("High"),
        "urgent": _("Urgent"),
        "start": _("Whoever opens the conversation"),
        "claim": _("The signed token"),
    }


def _step_types() -> dict[str, str]:
    return {
        "say": _("Says something"),
        "collect": _("Asks for a value"),
        "confirm": _("Asks yes or no"),
        "action": _("Runs an action"),
        "set": _("Sets slots"),
        "branch": _("Decides by conditions"),
        "while": _("Repeats while a condition holds"),
        "for_each": _("Repeats for each entry of a list"),
        "call": _("Runs another flow and returns"),
        "link": _("Goes on with another flow"),
        "human": _("A person decides"),
        "handoff": _("A person takes the chat"),
        "wait": _("Waits"),
    }


def _phrases() -> dict[str, str]:
    return {**_phrases_of_controls(), **_phrases_of_conditions(), **_phrases_of_the_panel()}


def _phrases_of_controls() -> dict[str, str]:
    return {
        "add": _("Add"),
        "remove": _("Remove"),
        "details": _("Details"),
        "move_up": _("Move up"),
        "name": _("Name"),
        "new_name": _("Name of the new entry"),
        "new_action_name": _("Name of the new action"),
        "new_answer_name": _("Name of the new answer"),
        "new_slot_name": _("Name of the new slot"),
        "search": _("Search"),
        "nothing_found": _("Nothing found"),
        "none": _("(none)"),
        "following_step": _("(the following step)"),
        "apologises_and_ends": _("(apologise and end the flow)"),
        "told_and_ends": _("(say so and end the flow)"),
        "person_takes_over": _("(a person takes over)"),
        "asked_what_to_change": _("(ask what to change)"),
        "translate": _("Translate"),
        "add_language": _("Add a language"),
        "from_data": _("From data"),
        "optional": _("Optional"),
        "required": _("Required"),
        "amount": _("Amount"),
        "unit": _("Unit"),
        "unit_s": _("seconds"),
        "unit_m": _("minutes"),
        "unit_h": _("hours"),
        "unit_d": _("days"),
        "unit_w": _("weeks"),
        "from": _("from"),
        "to": _("to"),
        "slot": _("Slot"),
        "value": _("Value"),
    }


def _phrases_of_conditions() -> dict[str, str]:
    return {
        "condition": _("Condition"),
        "comparison": _("Comparison"),
        "joint": _("And or or"),
        "and": _("and"),
        "or": _("or"),
        "as_text": _("As text"),
        "as_fields": _("As fields"),
        "add_condition": _("Add a condition"),
        "operator_==": _("is"),
        "operator_!=": _("is not"),
        "operator_>": _("is more than"),
        "operator_>=": _("is at least"),
        "operator_<": _("is less than"),
        "operator_<=": _("is at most"),
        "operator_yes": _("is yes"),
        "operator_no": _("is no"),
        "operator_filled": _("has a value"),
        "operator_empty": _("has no value"),
    }


def _phrases_of_the_panel() -> dict[str, str]:
    return {
        "one_decides": _("1 person may decide"),
        "many_decide": _("%s people may decide"),
        "writes_line": _("Writes line %s of"),
        "writes_lines": _("Writes lines %s of"),
        "writes_file": _("Writes%s"),
        "use": _("Use %s"),
        "whole_document": _("The whole document"),
        "settings": _("Settings"),
        "of_the_assistant": _("What all flows of the assistant share"),
        "no_step": _("This step is not in the text any more."),
        "unknown_type": _("This type of step is not known. Correct it in the text."),
        "unreadable": _("The text cannot be read just now. Correct it in the text first; the fields follow."),
        "then": _("then"),
        "and_next_step": _("and the next step"),
        "what_staff_fill": _("what the colleague fills in"),
        "add_action": _("Add an action"),
        "add_question": _("Add a question"),
        "question": _("Question"),
        "needs_reason": _("Needs a reason"),
        "next_after": _("Next step after"),
        "more_fields": _("More"),
        "new_action": _("New action…"),
        "action_name": _("Name of the action"),
        "describe_action": _("Describe %s in the settings"),
        "action_declared": _("Action %s, added in a flow"),
        "settings_have_draft": _("You have an unsaved draft of the settings. Save it first, or add the action there."),
        "new_slot": _("New slot…"),
        "slot_name": _("Name of the slot"),
        "name_needs_letter": _("A name needs a letter from a to z."),
        "create": _("Create"),
        "not_kept": _("(not kept)"),
        "what_action_gets": _("what the action gets"),
        "where_results_go": _("where the results go"),
    }
