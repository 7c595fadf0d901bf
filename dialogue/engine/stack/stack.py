"""The dialogue stack, bottom to top. Every function takes a stack and returns a new one; frames are never copied.

A frame that called another and the called one above it are a chain: they move, pause and end together.
"""

from collections.abc import Iterable

from dialogue.engine.stack.state import Frame

Stack = list[Frame]


def top_of(stack: Stack) -> Frame | None:
    """Return the frame on top, or None."""
    return stack[-1] if stack else None


def find_frame(stack: Stack, frame_id: str) -> Frame | None:
    """Return the frame with this id, or None."""
    return next((frame for frame in stack if frame["id"] == frame_id), None)


def root_of(stack: Stack, frame: Frame) -> Frame:
    """Return the first frame of the chain: the flow that the user asked for."""
    while "caller" in frame:
        above = find_frame(stack, frame["caller"]["frame"])
        if above is None:
            break
        frame = above
    return frame


def chain_of(stack: Stack, frame: Frame) -> Stack:
    """Return the frame's root and all flows called from it, bottom to top."""
    root = root_of(stack, frame)
    return [member for member in stack if root_of(stack, member) is root]


def root_frames(stack: Stack) -> Stack:
    """Return the frames that no other frame called."""
    return [frame for frame in stack if root_of(stack, frame) is frame]


def find_flow(stack: Stack, flow: str) -> Frame | None:
    """Return the uppermost frame of this flow, or None."""
    return next((frame for frame in reversed(stack) if frame["flow"] == flow), None)


def push(stack: Stack, frame: Frame) -> Stack:
    """Put the frame on top."""
    return [*stack, frame]


def insert_below(stack: Stack, frame: Frame, above: Frame) -> Stack:
    """Insert the frame right below the chain of another."""
    index = stack.index(chain_of(stack, above)[0])
    return [*stack[:index], frame, *stack[index:]]


def insert_above(stack: Stack, frame: Frame, below: Frame) -> Stack:
    """Insert the frame right above another."""
    index = stack.index(below) + 1
    return [*stack[:index], frame, *stack[index:]]


def remove_frames(stack: Stack, frames: Iterable[Frame]) -> Stack:
    """Remove these frames."""
    ids = {frame["id"] for frame in frames}
    return [frame for frame in stack if frame["id"] not in ids]


def raise_chain(stack: Stack, frame: Frame) -> Stack:
    """Move the frame's whole chain to the top."""
    chain = chain_of(stack, frame)
    return [*remove_frames(stack, chain), *chain]


def replace_frame(stack: Stack, old: Frame, new: Frame) -> Stack:
    """Replace one frame by another."""
    return [new if frame is old else frame for frame in stack]
