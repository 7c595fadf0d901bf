"""Built-in responses: every text that the engine itself says, by key, in English and Spanish."""

from collections.abc import Mapping
from dataclasses import dataclass

COMMON_PLACEHOLDERS = frozenset({"flows", "assistant"})
"""Placeholders of every response: the titles of the flows that can be started, and the assistant's title."""


@dataclass(frozen=True)
class Response:
    """A text in English and Spanish, and its placeholders in addition to `COMMON_PLACEHOLDERS`."""

    english: str
    spanish: str
    placeholders: frozenset[str] = frozenset()


def _response(english: str, spanish: str, *names: str) -> Response:
    return Response(english, spanish, frozenset(names))


RESPONSES: Mapping[str, Response] = {
    "ask": _response("Please tell me: {slot}.", "Por favor, dígame: {slot}.", "slot"),
    "rejected": _response("{reason}", "{reason}", "reason", "slot", "value"),
    "corrected": _response(
        "All right, {slot} is now {value}.", "De acuerdo, {slot} es ahora {value}.", "slot", "value"
    ),
    "claimed": _response(
        "I cannot change {slot} here, because it comes from your account.",
        "No puedo cambiar este dato aquí, porque viene de su cuenta: {slot}.",
        "slot",
    ),
    "cleared": _response("I have forgotten {slot}.", "He borrado {slot}.", "slot"),
    "cannot_skip": _response("I cannot go on without {slot}.", "No puedo continuar sin este dato: {slot}.", "slot"),
    "already_done": _response(
        "An earlier {slot} has been used already, and what was done with it stays as it is.",
        "Ya se ha usado un valor anterior de {slot}, y lo que se hizo con él queda como está.",
        "slot",
        "value",
    ),
    "cancelled": _response("All right, I have stopped: {flow}.", "De acuerdo, lo dejo: {flow}.", "flow"),
    "nothing_to_cancel": _response(
        "There is nothing to stop just now. What can I do for you?",
        "Ahora mismo no hay nada que cancelar. ¿En qué puedo ayudar?",
    ),
    "resumed": _response("Let us go back to this: {flow}.", "Volvamos a esto: {flow}.", "flow"),
    "offer_resume": _response(
        "We had not finished this: {flows}. Shall we go on with it?",
        "Esto quedó sin terminar: {flows}. ¿Seguimos?",
    ),
    "plan": _response("One after the other: {flows}.", "Una cosa detrás de otra: {flows}."),
    "clarify": _response("What do you mean: {flows}?", "¿A qué se refiere: {flows}?"),
    "more_options": _response("More", "Más"),
    "which_option": _response("Several of them fit. Which one do you mean?", "Varias encajan. ¿Cuál quiere decir?"),
    "confirm_option": _response(
        "There is only one: {value}. Is that the one?", "Solo hay una opción: {value}. ¿Es esa?", "value", "slot"
    ),
    "only_option": _response(
        "There is only one, so I take it: {value}.", "Solo hay una opción, así que la tomo: {value}.", "value", "slot"
    ),
    "no_match": _response(
        "I find nothing among the options that fits “{words}”.",
        "Entre las opciones no encuentro nada que encaje con «{words}».",
        "words",
        "slot",
    ),
    "no_options": _response(
        "There is nothing to choose from, so I cannot go on with this: {flow}.",
        "No hay nada que elegir, así que no puedo seguir con esto: {flow}.",
        "flow",
    ),
    "option_gone": _response(
        "{value} is no longer available. Please choose again.",
        "{value} ya no está disponible. Elija otra vez, por favor.",
        "value",
        "slot",
    ),
    "option_changed": _response(
        "Since it was chosen, this has changed: {value}.",
        "Esto ha cambiado desde que se eligió: {value}.",
        "value",
        "slot",
    ),
    "none_of_these": _response("Something else", "Otra cosa"),
    "file_not_expected": _response(
        "I have not asked for a file, so I have not kept it.", "No he pedido ningún archivo, así que no lo he guardado."
    ),
    "and_more": _response("and {count} more", "y {count} más", "count"),
    "empty_list": _response("There is nothing to show.", "No hay nada que mostrar."),
    "answer": _response("{answer}", "{answer}", "answer"),
    "answer_from": _response("From: {sources}", "De: {sources}", "sources"),
    "no_answer": _response("I am sorry, I do not know that.", "Lo siento, eso no lo sé."),
    "explain": _response("{description}.", "{description}.", "slot", "description"),
    "help": _response("I can help you with this: {flows}.", "Puedo ayudar con esto: {flows}."),
    "status": _response(
        "We are at this: {flow}. So far: {values}. Still missing: {missing}.",
        "Estamos en esto: {flow}. Hasta ahora: {values}. Falta todavía: {missing}.",
        "flow",
        "values",
        "missing",
    ),
    "missing_nothing": _response("nothing more", "nada más"),
    "missing_answer": _response("your answer", "su respuesta"),
    "status_waiting": _response(
        "A colleague is still deciding about “{flow}”. You will hear from me as soon as it is decided.",
        "Un compañero todavía está decidiendo sobre «{flow}». Avisaré en cuanto se decida.",
        "flow",
        "values",
        "missing",
    ),
    "still_waiting": _response(
        "I am not sure what you mean. A colleague is still deciding about “{flow}”. You will hear from me as soon as "
        "it is decided. If something is to change, tell me what and to what.",
        "No sé a qué se refiere. Un compañero todavía está decidiendo sobre «{flow}». Avisaré en cuanto se decida. Si "
        "hay que cambiar algo, dígame qué y por qué valor.",
        "flow",
    ),
    "offer_change": _response(
        "A colleague is looking at this just now. Shall I change {slot} to {value}?",
        "Un compañero lo está revisando ahora mismo. ¿Cambio {slot} a {value}?",
        "slot",
        "value",
    ),
    "status_idle": _response("Nothing is going on just now.", "Ahora mismo no hay nada en marcha."),
    "chitchat": _response(
        "I am here to help. I can do this for you: {flows}.", "Estoy para ayudar. Puedo hacer esto: {flows}."
    ),
    "cannot_handle": _response(
        "I am sorry, I did not understand that. I can help you with this: {flows}.",
        "Lo siento, no he entendido. Puedo ayudar con esto: {flows}.",
    ),
    "empty_message": _response("Your message was empty.", "El mensaje estaba vacío."),
    "message_too_long": _response(
        "That message is too long for me. Please say it in fewer words.",
        "El mensaje es demasiado largo. Por favor, dígalo con menos palabras.",
    ),
    "ask_change": _response(
        "What shall I change? You can also cancel.", "¿Qué quiere cambiar? También puede cancelar."
    ),
    "waiting": _response(
        "A colleague has to look at this. You will hear from me as soon as it is decided.",
        "Un compañero tiene que revisarlo. Avisaré en cuanto se decida.",
        "flow",
    ),
    "expired": _response("Nobody could decide in time: {flow}.", "Nadie ha podido decidir a tiempo: {flow}.", "flow"),
    "timed_out": _response("The time for this is over: {flow}.", "Se ha acabado el tiempo para esto: {flow}.", "flow"),
    "reminder": _response(
        "Are you still there? I am waiting for your answer.", "¿Sigue ahí? Estoy esperando su respuesta.", "flow"
    ),
    "status_timed": _response(
        "“{flow}” is waiting just now and goes on by itself. You do not have to do anything for it.",
        "«{flow}» está en espera y continuará sin más. No tiene que hacer nada.",
        "flow",
        "values",
        "missing",
    ),
    "notice": _response("{text}", "{text}", "text"),
    "opted_out": _response(
        "All right, I will not write to you unasked any more. You can write to me at any time.",
        "De acuerdo, no le escribiré más por mi cuenta. Puede escribirme cuando quiera.",
    ),
    "opted_in": _response("All right, you will hear from me again.", "De acuerdo, volveré a avisarle."),
    "handoff": _response(
        "A colleague will go on with you here.",
        "Un compañero seguirá aquí con usted.",
    ),
    "handoff_nobody": _response(
        "Nobody is at the desk just now. What you write is kept and answered here later; you can leave and come back.",
        "Ahora mismo no hay nadie para atender. Lo que escriba se guarda y se responderá aquí; puede irse y volver.",
    ),
    "handed_back": _response(
        "You are talking with me, the assistant, again. How can I help you?",
        "Vuelve a hablar conmigo, el asistente. ¿En qué puedo ayudar?",
    ),
    "confirm_restart": _response(
        "Shall we start again from the beginning? What you have told me so far will be forgotten.",
        "¿Empezamos de nuevo? Se olvidará lo que me ha dicho hasta ahora.",
    ),
    "restarted": _response(
        "All right, we start from the beginning. I can help you with this: {flows}.",
        "De acuerdo, empezamos desde el principio. Puedo ayudar con esto: {flows}.",
    ),
    "not_allowed": _response(
        "That is not possible just now: {flow}.", "Eso no es posible ahora mismo: {flow}.", "flow"
    ),
    "need_not_met": _response(
        "I cannot go on with this: {flow}. This has to be done first: {need}.",
        "No puedo seguir con esto: {flow}. Antes hace falta esto: {need}.",
        "flow",
        "need",
    ),
    "too_many_flows": _response(
        "That is too much at a time. Let us finish something first, then: {flow}.",
        "Son demasiadas cosas a la vez. Terminemos algo primero y después: {flow}.",
        "flow",
    ),
    "dropped": _response(
        "We have not come back to this for a long time, so I have put it aside: {flow}.",
        "Hace mucho que no volvemos a esto, así que lo he dejado: {flow}.",
        "flow",
    ),
    "session_ended": _response(
        "This conversation is closed. Just write when you need me again.",
        "Esta conversación queda cerrada. Escriba cuando me necesite de nuevo.",
    ),
    "action_failed": _response(
        "I am sorry, something did not work, and I have stopped: {flow}.",
        "Lo siento, algo no ha funcionado y lo he dejado: {flow}.",
        "flow",
    ),
    "loop_limit": _response(
        "I am sorry, I was going round in circles, and I have stopped: {flow}.",
        "Lo siento, estaba dando vueltas y lo he dejado: {flow}.",
        "flow",
    ),
    "too_many_items": _response(
        "I am sorry, these are {count}, and I can do at most {limit} at a time. I have stopped: {flow}.",
        "Lo siento, son {count} y como mucho puedo hacer {limit} a la vez. Lo he dejado: {flow}.",
        "count",
        "limit",
        "flow",
    ),
    "item_skipped": _response("All right, I leave this out: {item}.", "De acuerdo, esto lo salto: {item}.", "item"),
    "item_corrected": _response(
        "All right, {slot} for {item} is now {value}.",
        "De acuerdo, {slot} para {item} es ahora {value}.",
        "item",
        "slot",
        "value",
    ),
    "unknown_item": _response(
        "I do not know which one you mean by “{item}”.", "No sé a cuál se refiere con «{item}».", "item"
    ),
    "which_item": _response("For which one: {items}?", "¿Para cuál: {items}?", "items"),
    "error": _response(
        "I am sorry, something went wrong here. Please try again. Reference: {reference}.",
        "Lo siento, algo ha fallado aquí. Por favor, inténtelo de nuevo. Referencia: {reference}.",
        "reference",
    ),
}


def response_keys() -> frozenset[str]:
    """Return the keys that an assistant may override."""
    return frozenset(RESPONSES)


def placeholder_names(key: str) -> frozenset[str]:
    """Return the placeholders of a response; the key may name a flow, as in "cancelled:transfer_money".

    Raises KeyError for an unknown key.
    """
    return RESPONSES[key.split(":", maxsplit=1)[0]].placeholders | COMMON_PLACEHOLDERS
