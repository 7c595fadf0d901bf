"""The rows that everything rests on: one file a noun, and the constraints that the product's promises need."""

from dialogue.models.action_run import ActionRun
from dialogue.models.assistant import Assistant, Flow, FlowDraft, FlowVersion, Release
from dialogue.models.attempt import TryCounter
from dialogue.models.audit import AuditDetail, AuditEntry, AuditHead
from dialogue.models.checkpoint import Checkpoint, CheckpointWrite
from dialogue.models.conversation import Conversation
from dialogue.models.correction import Correction
from dialogue.models.demo import DemoBook, DemoHold, DemoLoan, DemoPayee, DemoPayment
from dialogue.models.desk import Attendance, ReadMark, SavedReply
from dialogue.models.event import Event
from dialogue.models.knowledge import KnowledgeDocument, KnowledgePassage
from dialogue.models.learned_model import LearnedModel
from dialogue.models.link import AnswerLink, LinkToken, Notice
from dialogue.models.live import InboxEvent
from dialogue.models.message import Message
from dialogue.models.preference import Preference
from dialogue.models.queue import FullLook, Presence, SavedView, SessionTag, Unmasking
from dialogue.models.scenario import Scenario, ScenarioDocument, ScenarioRun
from dialogue.models.session import HITLSession
from dialogue.models.submission import Draft, Submission
from dialogue.models.token import ApiToken
from dialogue.models.trial import Trial
from dialogue.models.turn import Turn
from dialogue.models.understanding import Alert, NLUAnswer, NLUProgram, NLURun, NLUSpending

__all__ = [
    "ActionRun",
    "Alert",
    "AnswerLink",
    "ApiToken",
    "Assistant",
    "Attendance",
    "AuditDetail",
    "AuditEntry",
    "AuditHead",
    "Checkpoint",
    "CheckpointWrite",
    "Conversation",
    "Correction",
    "DemoBook",
    "DemoHold",
    "DemoLoan",
    "DemoPayee",
    "DemoPayment",
    "Draft",
    "Event",
    "Flow",
    "FlowDraft",
    "FlowVersion",
    "FullLook",
    "HITLSession",
    "InboxEvent",
    "KnowledgeDocument",
    "KnowledgePassage",
    "LearnedModel",
    "LinkToken",
    "Message",
    "NLUAnswer",
    "NLUProgram",
    "NLURun",
    "NLUSpending",
    "Notice",
    "Preference",
    "Presence",
    "ReadMark",
    "Release",
    "SavedReply",
    "SavedView",
    "Scenario",
    "ScenarioDocument",
    "ScenarioRun",
    "SessionTag",
    "Submission",
    "Trial",
    "TryCounter",
    "Turn",
    "Unmasking",
]
