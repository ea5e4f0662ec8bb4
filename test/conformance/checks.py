"""The checks that schemathesis makes of every response beside its own. SCHEMATHESIS_HOOKS names this file."""

import unicodedata

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

# Requests that are valid by the schemas, and that the service rejects by rules beyond schemas: a cursor that it did not
# make for this filter, a key that was used with another body, and members that `Prefer: handling=strict` forbids.
BEYOND_SCHEMAS = ("invalid_cursor", "idempotency_key_reused", "unknown_field")


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    code = response.json().get("code") if response.status_code == 400 else None
    if code in BEYOND_SCHEMAS or (code == "invalid_field" and has_invalid_name(case)):
        return None
    return positive_data_acceptance(ctx, response, case)


def has_invalid_name(case):
    """Whether the name is blank, or has control characters or lone surrogates."""
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
