"""`python3 sessions_sdk.py <scenario> <dsn>`: the ways in which a program ends, and its sessions."""

import atexit
import sys

import sentry_sdk
from sentry_sdk.integrations.wsgi import SentryWsgiMiddleware

scenario, dsn = sys.argv[1:]
sentry_sdk.init(dsn, release="shop@2.0.0", environment="staging")


def in_session(work):
    """The session ends with the program, after the hook that reports uncaught errors."""
    scope = sentry_sdk.get_isolation_scope()
    scope.set_user({"id": "7"})
    scope.start_session()
    atexit.register(lambda: (scope.end_session(), sentry_sdk.flush()))
    work()


def exits():
    pass


def meets_an_error():
    sentry_sdk.capture_exception(ValueError("handled"))


def crashes():
    raise ValueError("nobody catches this")


def answer(environ, start_response):
    if environ["PATH_INFO"] == "/handled":
        sentry_sdk.capture_exception(ValueError("one request went wrong"))
    if environ["PATH_INFO"] == "/unhandled":
        raise ValueError("one request went down")
    start_response("200 OK", [])
    return [b""]


def serves():
    """Five requests: one captures a handled error, and one fails with an unhandled error."""
    app = SentryWsgiMiddleware(answer)
    for path in ["/", "/", "/handled", "/unhandled", "/"]:
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SERVER_NAME": "shop", "SERVER_PORT": "80"}
        try:
            list(app({**environ, "wsgi.url_scheme": "http"}, lambda *_: None))
        except ValueError:
            # A web server would continue with the next request.
            pass


if scenario == "serves":
    serves()
else:
    in_session({"exits": exits, "meetsAnError": meets_an_error, "crashes": crashes}[scenario])
