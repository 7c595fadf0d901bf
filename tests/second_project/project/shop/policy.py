"""The shop's content security policy: nothing inline, nothing from elsewhere."""

from secrets import token_urlsafe

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class StrictPolicy:
    """Middleware: a nonce for each request, for style elements that a script makes."""

    def __init__(self, respond):
        self.respond = respond

    def __call__(self, request):
        request.csp_nonce = token_urlsafe(16)
        response = self.respond(request)
        response["Content-Security-Policy"] = POLICY.format(nonce=request.csp_nonce)
        return response
