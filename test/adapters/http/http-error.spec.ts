import { expect } from "chai";
import { STATUS_OF_CODE } from "../../../src/adapters/http/http-error.js";

const CODES: Readonly<Record<number, string>> = {
  400:
    "malformed_request missing_body invalid_json duplicate_field unknown_field missing_field invalid_field " +
    "invalid_parameter duplicate_parameter unknown_parameter invalid_cursor invalid_idempotency_key " +
    "idempotency_key_reused",
  401: "missing_credentials invalid_credentials",
  404: "pet_not_found route_not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  408: "request_timeout",
  410: "operation_removed",
  413: "body_too_large",
  415: "unsupported_media_type",
  429: "rate_limited",
  431: "headers_too_large",
  500: "internal_error",
  503: "storage_unavailable overloaded shutting_down",
};

describe("The error codes", () => {
  it("are these, each with its status", () => {
    const rows = Object.entries(CODES).flatMap(([status, codes]) =>
      codes.split(" ").map((code) => [code, Number(status)]),
    );
    expect(STATUS_OF_CODE).to.deep.equal(Object.fromEntries(rows));
  });
});
