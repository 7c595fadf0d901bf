"""The second project as files and as a process: the shop itself, the guide's lines, a wheel, and Daphne."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request

from tests.support.browser.windows import PATIENCE, REFUSALS
from tests.support.processes.server import ROOT, UNLIMITED, DidNotStart, free_port

GUIDE = ROOT / "docs" / "embedding.md"
BLOCK = re.compile(r"```(?:python|yaml)\n# ([^\s,]+)(, at the end)?\n(.*?)```", re.DOTALL)
PASSWORD = "a-password-of-the-shop"
STARTS_WITHIN_SECONDS = 120
SHOP_PATHS = re.compile(r"/$|/account/|/backstage/|/assets/|/no-such-page|/favicon.ico$")
"""What the shop itself answers; everything else has to be below the console's prefix."""

PEOPLE = """
from django.contrib.auth.models import Group
from customers.models import Customer
Customer.objects.create_superuser("boss@shop.example", "{password}")
for name, group in (("olga", "operators"), ("arthur", "flow authors"), ("audrey", "auditors")):
    person = Customer.objects.create_user(f"{{name}}@shop.example", "{password}", is_staff=True)
    person.groups.add(Group.objects.get(name=group))
"""

WATCH_POLICY = """
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
  console.error(`refused by the policy: ${violatedDirective} ${blockedURI} ${sourceFile}`));
"""


def build_wheel(folder: Path) -> Path:
    """The wheel of this repository, built without a network from the editors that were bundled before."""
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "SONI_PREBUILT_BUNDLE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    [wheel] = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """The folder with the wheel's files; what it depends on comes from this environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*command, "--disable-pip-version-check", str(wheel)], check=True)
    return folder


def lay_down(folder: Path) -> Path:
    """The shop with the lines that the guide adds."""
    copytree(ROOT / "tests" / "second_project" / "project", folder, dirs_exist_ok=True)
    for name, at_the_end, text in BLOCK.findall(GUIDE.read_text()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.read_text() + "\n" + text if at_the_end else text)
    return folder


class Shop:
    """The project in a folder, served by Daphne; the console comes from the folder `packages`."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[str] | None = None
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SONI_", "NLU"))},
            **UNLIMITED,
            "DJANGO_SETTINGS_MODULE": "shop.settings",
            "PYTHONPATH": os.pathsep.join([str(folder), str(packages)]),
            "NLU_EMBEDDED": "off",
            "SONI_URL": self.url,
        }

    def open(self) -> None:
        """Migrate, make the people, load the guide's assistant, and serve."""
        self.manage("migrate", "--verbosity", "0")
        self.manage("shell", "-v0", "-c", PEOPLE.format(password=PASSWORD))
        self.manage("load_flows", "shop/flows", "--publish")
        log = self.folder / "daphne.log"
        with log.open("w") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(self.port), "shop.asgi:application"],
                cwd=self.folder,
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._wait_until_ready(log)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def manage(self, *arguments: str, **environment: str) -> str:
        """What a command printed. Fails when the command fails."""
        done = self.try_manage(*arguments, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def try_manage(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=self.folder,
            env={**self._environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def run_tests(self, path: str) -> str:
        """What pytest printed for tests of the project."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(self.folder), path]
        environment = {**self._environment, "PYTEST_ADDOPTS": ""}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def get(self, path: str, token: str = "") -> tuple[int, Any]:
        """Status and JSON of an answer of the API."""
        request = urllib.request.Request(self.url + path)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, None

    def links_in_mails(self) -> set[str]:
        """Every address that was mailed."""
        mails = (path.read_text() for path in (self.folder / "mails").glob("*.log"))
        return {link for mail in mails for link in re.findall(r"http://\S+", mail)}

    def _wait_until_ready(self, log: Path) -> None:
        until = time.monotonic() + STARTS_WITHIN_SECONDS
        while time.monotonic() < until:
            if self._process is None or self._process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{self.url}/soni/health/ready", timeout=5).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise DidNotStart(log.read_text())


class Visits:
    """Windows of people: `visit("/soni/", "olga")` signs in through the shop's own page where that asks for it."""

    def __init__(self, browser: Browser, shop: Shop) -> None:
        self.complaints: list[str] = []
        self._addresses: set[str] = set()
        self._expected = [REFUSALS]
        self._browser, self._shop = browser, shop
        self._contexts: list[BrowserContext] = []

    def __call__(self, path: str, who: str = "") -> Page:
        context = self._browser.new_context(locale="en-GB", viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE)
        context.add_init_script(WATCH_POLICY)
        context.on("request", self._note)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self._shop.url + path)
        if who:
            page.get_by_label("Email").fill(f"{who}@shop.example")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Enter").click()
            page.wait_for_url(lambda url: "/login/" not in url)  # waits until its scripts are loaded, too
        return page

    def expect(self, complaint: str) -> None:
        """From now on the browser may complain of this (a pattern)."""
        self._expected.append(re.compile(complaint))

    def strange_addresses(self) -> list[str]:
        """What was asked for and is neither the console's nor the shop's."""
        own = re.compile(f"{re.escape(self._shop.url)}(/soni/|{SHOP_PATHS.pattern})")
        return sorted(url for url in self._addresses if not own.match(url) and urlsplit(url).scheme != "data")

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _note(self, request: Request) -> None:
        self._addresses.add(request.url.partition("?")[0])

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(known.search(message.text) for known in self._expected):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")
