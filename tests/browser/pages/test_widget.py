"""The chat on a site of another origin, whose policy and ours are strict: what a visitor, a keyboard and axe find."""

import gzip
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Frame, FrameLocator, Page, Route, expect

from tests.browser.pages.test_accessibility import AXE
from tests.desk.access.test_user_tokens import token
from tests.support.browser.house import ACCOUNT, House, token_of
from tests.support.browser.site import Site, open_site
from tests.support.browser.windows import DESKTOP, PHONE, Windows

pytestmark = pytest.mark.browser
MAX_HOST_BYTES = 15 * 1024
ALLOW = """
from django.contrib.auth.models import User
from dialogue.desk.access.allowed_origins import allow_origin
from dialogue.desk.access.signing_secrets import create_secret
from dialogue.models import Assistant
bank, ada = Assistant.objects.get(name="bank"), User.objects.get(username="ada")
allow_origin(bank, "{origin}", ada)
print(create_secret(bank, ada)[1])
"""


@pytest.fixture(scope="module")
def marlow(house: House) -> Iterator[tuple[Site, str]]:
    """The site, allowed to show the bank, and the secret with which its server signs."""
    with open_site(house.url) as site:
        printed = house.server.shell(ALLOW.format(origin=site.url))
        yield site, printed.split()[-1]


@pytest.fixture
def site(marlow: tuple[Site, str]) -> Site:
    site, _secret = marlow
    site.attributes, site.language, site.extra_policy = "", "en", ""
    return site


def signed(marlow: tuple[Site, str], **claims: Any) -> str:
    return token({"sub": "c_2087", "name": "Hannah Okafor", "exp": int(time.time()) + 600, **claims}, secret=marlow[1])


def visit(window: Windows, site: Site, **options: Any) -> Page:
    """A page of the site, in a window without anything of the console's."""
    page = window("", "/health/live", **options)
    page.goto(f"{site.url}/")
    return page


def launcher(page: Page) -> Any:
    return page.locator("soni-chat button")


def chat_of(page: Page) -> FrameLocator:
    return page.frame_locator("soni-chat iframe")


def opened(page: Page) -> FrameLocator:
    launcher(page).click()
    chat = chat_of(page)
    expect(chat.get_by_label("Message", exact=True)).to_be_focused()
    return chat


def write(chat: FrameLocator, text: str) -> None:
    chat.get_by_label("Message", exact=True).fill(text)
    chat.get_by_label("Message", exact=True).press("Enter")


def bot_line(chat: FrameLocator, text: str) -> Any:
    return chat.locator("[data-log] .turn:not(.by-reader) > p", has_text=text)


def test_a_visitor_chats_and_presses_buttons_and_no_cookie_is_left(window: Windows, site: Site):
    page = visit(window, site)
    chat = opened(page)

    write(chat, f"send 6000 to Lindqvist Marine, {ACCOUNT}")
    expect(bot_line(chat, "€6,000.00 to Lindqvist Marine")).to_be_visible()
    chat.get_by_role("button", name="Yes", exact=True).click()

    expect(bot_line(chat, "a colleague has to approve this")).to_be_visible()
    expect(chat.locator("[data-status]")).to_contain_text("A colleague is deciding")
    decision = chat.locator("[data-deciding]")
    expect(decision).to_contain_text("You can go on writing meanwhile. The answer comes here.")
    expect(decision).to_contain_text(re.compile(r"Asked \d\d:\d\d.*\s+You get the answer by "))
    assert page.context.cookies() == []
    kept = page.frames[-1].evaluate("[sessionStorage.length, localStorage.length]")
    assert kept == [0, 0]


def test_the_note_that_a_colleague_decides_covers_no_line(window: Windows, site: Site):
    chat = opened(visit(window, site))

    write(chat, f"send 6000 to Lindqvist Marine, {ACCOUNT}")
    chat.get_by_role("button", name="Yes", exact=True).click()

    expect(chat.locator("[data-status]")).to_contain_text("A colleague is deciding")
    expect(chat.locator("[data-log] .turn").last.locator("small")).to_be_in_viewport(ratio=1)


def test_the_colour_of_the_site_is_that_of_the_chat(window: Windows, site: Site):
    page = visit(window, site)
    chat = opened(page)

    colour = "each => getComputedStyle(each).backgroundColor"
    assert launcher(page).evaluate(colour) == "rgb(31, 78, 121)"
    expect(chat.locator("header").first).to_have_css("background-color", "rgb(31, 78, 121)")
    expect(chat.locator("header").first).to_have_css("color", "rgb(255, 255, 255)")


def test_what_comes_while_it_is_closed_is_counted_and_read_when_it_opens(window: Windows, site: Site, house: House):
    page = visit(window, site)
    chat = opened(page)
    write(chat, "I want to talk to a person")
    expect(bot_line(chat, "A colleague will go on with you here.")).to_be_visible()
    conversation = chat.locator("#chat").get_attribute("data-conversation")
    pending = house.server.get(f"/api/v1/conversations/{conversation}", token_of("sofia")).body["pending"]
    [session] = [each["session"] for each in pending if each["kind"] == "handoff"]
    page.keyboard.press("Escape")
    expect(launcher(page)).to_be_focused()
    expect(launcher(page)).to_have_attribute("aria-expanded", "false")

    for text in ("Good afternoon.", "How can I help?"):
        version = house.server.get(f"/api/v1/sessions/{session}", token_of("sofia")).body["version"]
        if text.startswith("Good"):
            house.server.post(f"/api/v1/sessions/{session}/claim", {"version": version}, token_of("sofia"))
        said = house.server.post(f"/api/v1/sessions/{session}/say", {"text": text}, token_of("sofia"))
        assert said.status < 300, said.body

    expect(launcher(page).locator("b")).to_have_text("2")
    expect(launcher(page)).to_have_accessible_name("Open the chat, 2 unread")
    launcher(page).click()
    expect(launcher(page).locator("b")).to_have_count(0)
    expect(chat.locator(".turn.person > p").last).to_have_text("How can I help?")
    expect(chat.locator("[data-status]")).to_contain_text("is here and answers you")
    chat.get_by_role("button", name="Back to the assistant").click()
    expect(chat.locator("[data-leave]")).to_be_hidden()


def test_a_signed_visitor_is_known_and_an_unsigned_one_is_a_guest(
    window: Windows, site: Site, marlow: tuple[Site, str], house: House
):
    page = visit(window, site)
    page.evaluate("token => Soni.signIn(token)", signed(marlow))
    chat = opened(page)
    write(chat, "hello")
    expect(chat.locator(".turn.by-reader[data-seq]")).to_be_visible()

    conversation = chat.locator("#chat").get_attribute("data-conversation")
    facts = house.server.get("/api/v1/conversations?assistant=bank&limit=100", token_of("sofia")).body["conversations"]
    [row] = [each for each in facts if each["id"] == conversation]
    assert (row["customer"], row["vouched"], row["channel"]) == ("c_2087", True, "widget")


def test_a_token_that_does_not_count_is_refused_in_words_and_the_site_hears_of_it(
    window: Windows, site: Site, marlow: tuple[Site, str]
):
    site.attributes = f'data-user-token="{signed(marlow)[:-6]}AAAAAA"'
    page = visit(window, site)
    page.evaluate("addEventListener('soni:refused', event => { document.title = event.detail; })")
    chat = opened(page)

    write(chat, "hello")

    expect(chat.locator("[data-status]")).to_contain_text("The signature of the token is not one of ours.")
    expect(page).to_have_title(re.compile("not one of ours"))
    page.evaluate("token => Soni.signIn(token)", signed(marlow))
    write(chat, "hello again")
    expect(chat.locator(".turn.by-reader[data-seq]")).to_be_visible()


def test_a_site_may_keep_the_conversation_for_the_tab(window: Windows, site: Site):
    site.attributes = 'data-keep="tab"'
    page = visit(window, site)
    chat = opened(page)
    write(chat, f"send 6000 to Lindqvist Marine, {ACCOUNT}")
    expect(bot_line(chat, "€6,000.00 to Lindqvist Marine")).to_be_visible()

    page.get_by_role("link", name="Sails").click()
    page.wait_for_url("**/other/")

    chat = opened(page)
    expect(bot_line(chat, "€6,000.00 to Lindqvist Marine")).to_be_visible()


def test_it_comes_back_after_a_break_and_misses_nothing(window: Windows, site: Site):
    window.expect("ERR_INTERNET_DISCONNECTED")
    page = visit(window, site)
    chat = opened(page)
    write(chat, "hello")
    expect(chat.locator(".turn.by-reader[data-seq]")).to_have_count(1)

    page.context.set_offline(True)
    page.frames[-1].evaluate("dispatchEvent(new Event('offline'))")
    page.context.set_offline(False)
    write(chat, f"send 6000 to Lindqvist Marine, {ACCOUNT}")

    expect(bot_line(chat, "€6,000.00 to Lindqvist Marine")).to_be_visible()


def test_a_site_that_is_not_allowed_shows_nothing(browser: Browser, house: House):
    with open_site(house.url) as stranger:
        page = browser.new_page()
        page.goto(f"{stranger.url}/")
        with page.expect_console_message(lambda message: bool(re.search("frame-ancestors|403", message.text))):
            launcher(page).click()

        assert chat_of(page).locator("#chat").count() == 0
        page.close()


def test_a_chat_that_does_not_load_says_so_and_can_be_closed_on_a_phone(window: Windows, house: House):
    window.expect("frame-ancestors|status of 403")
    with open_site(house.url) as stranger:
        page = window("", "/health/live", **PHONE)
        page.clock.install()
        page.goto(f"{stranger.url}/")
        launcher(page).click()
        expect(launcher(page)).to_have_accessible_name("Close the chat")
        page.clock.fast_forward(13_000)

        note = page.locator("soni-chat [role=alert]")
        expect(note).to_have_text("The chat does not load just now. Close it and open it again, or come back later.")
        expect(page.locator("soni-chat iframe")).to_be_hidden()
        launcher(page).click()
        expect(note).to_be_hidden()


CONNECTING = {
    "en": ("Connecting to the chat…", "If nothing comes, close it and open it again."),
    "es": ("Conectando con el chat…", "Si no aparece nada, ciérrelo y ábralo de nuevo."),
}


@pytest.mark.parametrize("language", CONNECTING)
@pytest.mark.parametrize("size", [DESKTOP, {**PHONE, "color_scheme": "dark"}], ids=["desktop", "phone"])
def test_a_chat_on_a_slow_line_says_at_once_that_it_is_connecting_and_then_what_to_do(
    window: Windows, site: Site, language: str, size: dict[str, Any]
):
    connecting, advice = CONNECTING[language]
    site.language = language
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page = window("", "/health/live", **size)
    page.clock.install()
    page.goto(f"{site.url}/")
    page.route(re.compile(r"/embed/bank/"), hold)

    launcher(page).click()

    wait, said = page.locator("soni-chat .wait"), page.locator("soni-chat [role=status]")
    expect(wait).to_have_text(connecting)
    expect(said).to_have_text(connecting)
    page.clock.fast_forward(6_000)
    expect(wait).to_have_text(f"{connecting} {advice}")
    expect(said).to_have_text(f"{connecting} {advice}")
    assert violations_in(page.main_frame) == []
    launcher(page).click()
    expect(said).to_have_text("")
    launcher(page).click()
    expect(wait).to_have_text(connecting)
    while len(held) < 2:
        page.wait_for_timeout(50)
    held[1].continue_()
    expect(chat_of(page).locator("#say")).to_be_focused()
    expect(wait).to_be_hidden()
    expect(said).to_have_text("")


def test_where_nothing_is_asked_the_next_steps_are_offered(window: Windows, site: Site):
    chat = opened(visit(window, site))
    write(chat, f"send 6000 to Lindqvist Marine, {ACCOUNT}")
    expect(chat.get_by_role("button", name="Yes", exact=True)).to_be_visible()
    expect(chat.locator(".next-steps")).to_have_count(0)
    chat.get_by_role("button", name="No", exact=True).click()
    chat.get_by_role("button", name="Cancel", exact=True).click()

    offered = chat.locator(".next-steps button")
    expect(chat.locator(".next-steps")).to_contain_text("What would you like to do next?")
    expect(offered.last).to_have_text("Talk to a person")
    offered.get_by_text("Block a card").click()
    expect(bot_line(chat, "What are the last four digits?")).to_be_visible()
    expect(offered).to_have_count(0)


def test_a_conversation_that_is_gone_says_so_and_another_one_begins(window: Windows, site: Site, house: House):
    site.attributes = 'data-keep="tab"'
    page = visit(window, site)
    chat = opened(page)
    write(chat, "hello")
    expect(chat.locator(".turn.by-reader[data-seq]")).to_be_visible()
    conversation = chat.locator("#chat").get_attribute("data-conversation")
    house.server.shell(
        "from dialogue.models import Conversation\n"
        f"Conversation.objects.filter(pk='{conversation}').update(token_sha256='gone')"
    )
    page.get_by_role("link", name="Sails").click()
    page.wait_for_url("**/other/")
    launcher(page).click()

    chat = chat_of(page)
    expect(chat.locator("[data-status]")).to_contain_text("This chat is not open any more.")
    chat.get_by_role("button", name="New chat").click()
    write(chat, "hello again")
    expect(chat.locator(".turn.by-reader[data-seq]")).to_be_visible()


def test_messages_of_other_origins_and_windows_are_not_heard(window: Windows, site: Site):
    page = visit(window, site)
    chat = opened(page)

    page.evaluate("postMessage({ soni: 1, type: 'close' }, '*')")
    page.frames[-1].evaluate("postMessage({ soni: 1, type: 'begin', title: 'Stolen', keep: 'tab' }, '*')")
    page.wait_for_timeout(300)

    expect(launcher(page)).to_have_attribute("aria-expanded", "true")
    expect(chat.get_by_role("heading", level=1)).not_to_have_text("Stolen")


def test_it_speaks_the_language_of_the_site(window: Windows, site: Site):
    site.language = "es-MX"
    page = visit(window, site)
    expect(launcher(page)).to_have_accessible_name("Abrir el chat")

    launcher(page).click()

    expect(chat_of(page).get_by_label("Mensaje", exact=True)).to_be_visible()
    assert chat_of(page).locator("html").get_attribute("lang") == "es"


def test_on_a_phone_it_has_the_whole_screen(window: Windows, site: Site):
    page = visit(window, site, **PHONE)
    launcher(page).click()
    expect(chat_of(page).get_by_label("Message", exact=True)).to_be_visible()

    box = page.locator("soni-chat iframe").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    expect(launcher(page)).to_be_hidden()
    chat_of(page).get_by_role("button", name="Close the chat").click()
    expect(launcher(page)).to_be_visible()


SIZES = [
    pytest.param({**DESKTOP, "color_scheme": "light"}, id="light"),
    pytest.param({**DESKTOP, "color_scheme": "dark"}, id="dark"),
    pytest.param({**PHONE, "color_scheme": "light"}, id="phone"),
]


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_on_the_site_and_in_the_frame(window: Windows, site: Site, size: dict[str, Any]):
    page = visit(window, site, **size)
    launcher(page).click()
    chat = chat_of(page)
    expect(chat.get_by_label("Message", exact=True)).to_be_visible()
    assert violations_in(page.frames[-1]) == []
    write(chat, f"send 6000 to Lindqvist Marine, {ACCOUNT}")
    expect(chat.get_by_role("button", name="Yes", exact=True)).to_be_visible()

    assert [violations_in(frame) for frame in page.frames] == [[], []]


def violations_in(frame: Frame) -> list[str]:
    """What axe finds in this document alone: it would send messages to frames within."""
    frame.evaluate(AXE)
    found = frame.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false, iframes: false})")
    nodes = [(each["id"], node) for each in found["violations"] for node in each["nodes"]]
    return [f"{rule}: {node['target']} {node['failureSummary']}" for rule, node in nodes]


def test_a_site_loads_at_most_15_kilobytes():
    script = Path(__file__).parents[3] / "static" / "js" / "embed" / "widget.js"

    assert len(gzip.compress(script.read_bytes())) <= MAX_HOST_BYTES


OWN_CHAT = Path(__file__).parents[3] / "docs" / "widget.md"


def test_the_guides_own_chat_talks_from_an_allowed_page_and_from_no_other(
    window: Windows, site: Site, house: House, browser: Browser
):
    [code] = re.findall(r"```js\n(.*?)```", OWN_CHAT.read_text(), re.DOTALL)
    code = code.replace("https://soni.example", house.url).replace("export ", "")
    page = window("", "/health/live")
    site.extra_policy = f"; connect-src {house.url}"
    page.goto(f"{site.url}/")

    talk = f"async () => {{ {code}; const say = await begin(); return (await say('hello')).messages.length; }}"

    assert page.evaluate(talk) > 0
    with open_site(house.url) as stranger:
        stranger.extra_policy = site.extra_policy
        other = browser.new_page()
        other.goto(f"{stranger.url}/")
        with pytest.raises(Error, match="Failed to fetch"):
            other.evaluate(talk)
        other.close()
