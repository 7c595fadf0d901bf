"""120 texts that would do something in a page that takes them for markup, for script, or for a template.

Each that runs sets `window.stolen`, opens a dialog, or fetches /stolen.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

DO = "window.stolen=1"

ELEMENTS = [
    f"<script>{DO}</script>",
    f"<SCRIPT>{DO}</SCRIPT>",
    f"<script\n>{DO}</script\n>",
    f"<scr<script>ipt>{DO}</scr</script>ipt>",
    "<script src=/stolen></script>",
    "<script src=//127.0.0.1/stolen></script>",
    "<script type=module>import '/stolen'</script>",
    f"<script nonce=''>{DO}</script>",
    f"<noscript><p title='</noscript><img src=x onerror={DO}>'>",
    f"<template><script>{DO}</script></template>",
    "<iframe src=javascript:window.parent.stolen=1></iframe>",
    "<iframe srcdoc='<script>parent.stolen=1</script>'></iframe>",
    "<object data=/stolen></object>",
    "<embed src=/stolen>",
    "<base href=/stolen/>",
    "<meta http-equiv=refresh content='0;url=/stolen'>",
    "<link rel=stylesheet href=/stolen>",
    "<style>@import '/stolen';</style>",
    "<style>*{background:url(/stolen)}</style>",
    "<form action=/stolen><button>Send</button></form>",
    "<input type=image src=/stolen>",
    "<img src=/stolen>",
    "<video poster=/stolen></video>",
    "<audio src=/stolen autoplay></audio>",
    "<portal src=/stolen></portal>",
    "<frameset><frame src=/stolen></frameset>",
    "<table background=/stolen><tr><td>x",
    "<a href=javascript:window.stolen=1>click</a>",
    "<a href='java\tscript:window.stolen=1'>click</a>",
    "<a href=data:text/html,<script>window.stolen=1</script>>click</a>",
]
EVENTS = [
    f"<{tag} {event}={DO}{rest}>"
    for tag, event, rest in [
        ("img src=x", "onerror", ""),
        ("img/src=x", "/onerror", "//"),
        ("IMG SRC=x", "ONERROR", ""),
        ("svg", "onload", ""),
        ("svg/", "onload", "/"),
        ("svg><animate", "onbegin", " attributeName=x dur=1s"),
        ("svg><set", "onbegin", " attributeName=x"),
        ("body", "onload", ""),
        ("body", "onpageshow", ""),
        ("input", "onfocus", " autofocus"),
        ("textarea", "onfocus", " autofocus"),
        ("select", "onfocus", " autofocus"),
        ("details open", "ontoggle", ""),
        ("video><source", "onerror", ""),
        ("audio src=x", "onerror", ""),
        ("marquee", "onstart", ""),
        ("div", "onpointerover", " style=position:fixed;inset:0"),
        ("div", "onanimationstart", " style=animation:x"),
        ("p tabindex=0", "onfocus", " id=card"),
        ("dialog open", "onclose", ""),
        ("style", "onload", ""),
        ("link rel=stylesheet href=/static/dialogue/css/soni.css", "onload", ""),
        ("object data=x", "onerror", ""),
        ("iframe", "onload", ""),
    ]
]
BREAKOUTS = [
    f'"><script>{DO}</script>',
    f"'><script>{DO}</script>",
    f'" autofocus onfocus={DO} x="',
    f"' autofocus onfocus={DO} x='",
    f"` onmouseover={DO} x=`",
    f"</textarea><script>{DO}</script>",
    f"</title><script>{DO}</script>",
    f"</style><script>{DO}</script>",
    f"</script><script>{DO}</script>",
    f"--><script>{DO}</script><!--",
    f"]]><script>{DO}</script>",
    f"</p></div></main><img src=x onerror={DO}>",
    f"</td></tr></table><img src=x onerror={DO}>",
    f"</option></select><img src=x onerror={DO}>",
    f"</a></li></ol><img src=x onerror={DO}>",
    f"';{DO};'",
    f'";{DO};"',
    f"\\';{DO};//",
    f'\\";{DO};//',
    f"${{{DO}}}",
    f"`;{DO};`",
    f"*/{DO}/*",
    f"//%0a{DO}",
    '{"a":"</script><img src=x onerror=window.stolen=1>"}',
]
TEMPLATES = [
    "{{ 7|add:7 }}",
    "{% debug %}",
    '{% include "base.html" %}',
    "{# comment #}",
    "{{ request.session }}",
    "{amount}",
    "{first.f1}",
    "{w1}",
    "{0.__class__}",
    "{x:>999999999}",
    "%s %(name)s %n $& $$ $` $'",
    "${7*7} #{7*7} <%= 7*7 %>",
    "{{constructor.constructor('window.stolen=1')()}}",
    "[[${7*7}]]",
]
ATTRIBUTES = [
    f"<div hx-on:load='{DO}' hx-get=/stolen hx-trigger=load>",
    "<div hx-get=/stolen hx-trigger='load'></div>",
    "<div hx-swap-oob=true id=card>gone</div>",
    "<p id=card>not the card</p>",
    "<button data-key=a>Reject</button>",
    "<li id=row-g1><a data-row href=/stolen>row</a></li>",
    "<div data-first tabindex=0>focus</div>",
    "<div style=position:fixed;inset:0;background:red>",
]
ENTITIES = [
    "&lt;script&gt;window.stolen=1&lt;/script&gt;",
    "&#60;img src=x onerror=window.stolen=1&#62;",
    "&#x3C;svg onload=window.stolen=1&#x3E;",
    "&amp;lt;b&amp;gt; &nbsp; &quot; &apos;",
    "%3Cscript%3Ewindow.stolen=1%3C/script%3E",
    "\\u003cscript\\u003ewindow.stolen=1\\u003c/script\\u003e",
    "\\x3cimg src=x onerror=window.stolen=1\\x3e",
    "＜script＞window.stolen=1＜/script＞",
    "‹img src=x onerror=window.stolen=1›",
    "javascript:window.stolen=1",
    "vbscript:msgbox(1)",
    "data:text/html;base64,PHNjcmlwdD53aW5kb3cuc3RvbGVuPTE8L3NjcmlwdD4=",
    "https://example.com/?a=1&b=<b>2</b>&copy=3",
    "'; DROP TABLE dialogue_message; --",
    "1 OR 1=1",
    "__proto__",
    "constructor",
    "a < b && c > d",
    "<3 <- -> </ <! <?",
    "<b>bold</b> & <i>slanted</i>",
]
TEXTS = [*ELEMENTS, *EVENTS, *BREAKOUTS, *TEMPLATES, *ATTRIBUTES, *ENTITIES]
ONE_LINE = [" ".join(text.split()) for text in TEXTS]
"""The same without breaks and tabs, which names and single lines may not have."""


def texts_of(page: "Page", selector: str) -> list[str]:
    texts: list[str] = page.locator(selector).evaluate_all("all => all.map(each => each.textContent)")
    return texts


def nothing_ran(page: "Page") -> bool:
    quiet: bool = page.evaluate(
        "window.stolen === undefined"
        " && !performance.getEntriesByType('resource').some(each => each.name.includes('stolen'))"
    )
    return quiet
