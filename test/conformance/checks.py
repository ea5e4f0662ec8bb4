"""The checks that schemathesis makes of every response beside its own. SCHEMATHESIS_HOOKS names this file."""

import atexit
import unicodedata
from collections import Counter

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

# Requests that are valid by the schemas, and that the service rejects for what no schema can say.
ACCEPTED = {
    "invalid_cursor": "a cursor is valid only as the service made it, for the filter it was made for",
    "idempotency_key_reused": "whether a key was used with another body depends on earlier requests",
    "unknown_field": "members beside the described ones are rejected only if Prefer asks for strict handling",
    "invalid_field": "a name must not be blank, and must have no control characters or lone surrogates",
}

accepted = Counter()


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    code = response.json().get("code") if response.status_code == 400 else None
    if code in ACCEPTED and (code != "invalid_field" or has_invalid_name(case)):
        accepted[code] += 1
        return None
    return positive_data_acceptance(ctx, response, case)


def has_invalid_name(case):
    name = case.body.get("name") if isinstance(case.body, dict) else None
    if not isinstance(name, str):
        return False
    return name.isspace() or any(unicodedata.category(character) in ("Cc", "Cs") for character in name)


@schemathesis.check
def errors_have_one_shape(ctx, response, case):
    if response.status_code < 400 or case.method == "HEAD":
        return
    body = response.json()
    assert list(body) == ["code", "message", "status"], "an error has exactly code, message and status"
    assert body["status"] == response.status_code, "status repeats the HTTP status"
    assert response.headers["content-type"] == ["application/json"], "an error is application/json"


@atexit.register
def report_accepted():
    for code, reason in ACCEPTED.items():
        print(f"accepted {accepted[code]} times: 400 {code}, because {reason}")
