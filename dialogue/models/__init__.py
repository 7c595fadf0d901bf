"""Database models, one noun a file, with the constraints that the product's invariants need."""

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.assistants.demo import DemoBook, DemoHold, DemoLoan, DemoPayee, DemoPayment
from dialogue.models.assistants.flow import Flow, FlowDraft, FlowVersion
from dialogue.models.assistants.image import AssistantImage
from dialogue.models.assistants.integration import AllowedOrigin, RefusedOrigin, SigningSecret, UsedToken
from dialogue.models.assistants.knowledge import KnowledgeDocument, KnowledgePassage
from dialogue.models.assistants.release import Release
from dialogue.models.audit import AuditDetail, AuditEntry, AuditHead
from dialogue.models.authoring.scenario import Scenario, ScenarioDocument, ScenarioRun
from dialogue.models.authoring.suggested_example import Correction
from dialogue.models.conversations.action_run import ActionRun
from dialogue.models.conversations.channel import (
    ChannelArrival,
    ChannelConnection,
    ChannelDelivery,
    ChannelThread,
)
from dialogue.models.conversations.checkpoint import Checkpoint, CheckpointWrite
from dialogue.models.conversations.conversation import Conversation
from dialogue.models.conversations.conversation_view import ConversationView
from dialogue.models.conversations.event import Event
from dialogue.models.conversations.file_deletion import FileDeletion
from dialogue.models.conversations.message import Message
from dialogue.models.conversations.outreach import ContactRefusal, Outreach
from dialogue.models.conversations.read_mark import ReadMark
from dialogue.models.conversations.test_conversation import Trial
from dialogue.models.conversations.timer import Timer
from dialogue.models.conversations.turn import Turn
from dialogue.models.conversations.unmasking import Unmasking
from dialogue.models.conversations.uploaded_file import UploadedFile
from dialogue.models.conversations.webhook import WebhookDelivery, WebhookEndpoint, WebhookEvent, WebhookSecret
from dialogue.models.nlu.alert import Alert
from dialogue.models.nlu.answer import NLUAnswer
from dialogue.models.nlu.learned_model import LearnedModel
from dialogue.models.nlu.program import NLUProgram
from dialogue.models.nlu.run import NLURun
from dialogue.models.nlu.spending import NLUSpending
from dialogue.models.preference import Preference
from dialogue.models.receipt_key import ReceiptKey
from dialogue.models.sessions.agent_request import AgentPause, AgentRequest
from dialogue.models.sessions.answer_link import AnswerLink, LinkToken
from dialogue.models.sessions.attendance import Attendance
from dialogue.models.sessions.full_look import FullLook
from dialogue.models.sessions.inbox_event import InboxEvent
from dialogue.models.sessions.notice import Notice
from dialogue.models.sessions.presence import Presence
from dialogue.models.sessions.saved_reply import SavedReply
from dialogue.models.sessions.saved_view import SavedView
from dialogue.models.sessions.session import HITLSession
from dialogue.models.sessions.session_tag import SessionTag
from dialogue.models.sessions.submission import Draft, Submission
from dialogue.models.token import ApiToken
from dialogue.models.try_counter import TryCounter

__all__ = [
    "ActionRun",
    "AgentPause",
    "AgentRequest",
    "Alert",
    "AllowedOrigin",
    "AnswerLink",
    "ApiToken",
    "Assistant",
    "AssistantImage",
    "Attendance",
    "AuditDetail",
    "AuditEntry",
    "AuditHead",
    "ChannelArrival",
    "ChannelConnection",
    "ChannelDelivery",
    "ChannelThread",
    "Checkpoint",
    "CheckpointWrite",
    "ContactRefusal",
    "Conversation",
    "ConversationView",
    "Correction",
    "DemoBook",
    "DemoHold",
    "DemoLoan",
    "DemoPayee",
    "DemoPayment",
    "Draft",
    "Event",
    "FileDeletion",
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
    "Outreach",
    "Preference",
    "Presence",
    "ReadMark",
    "ReceiptKey",
    "RefusedOrigin",
    "Release",
    "SavedReply",
    "SavedView",
    "Scenario",
    "ScenarioDocument",
    "ScenarioRun",
    "SessionTag",
    "SigningSecret",
    "Submission",
    "Timer",
    "Trial",
    "TryCounter",
    "Turn",
    "Unmasking",
    "UploadedFile",
    "UsedToken",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookEvent",
    "WebhookSecret",
]
