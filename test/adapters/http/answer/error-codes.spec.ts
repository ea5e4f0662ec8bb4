import { expect } from "chai";
import { STATUS_OF_CODE } from "../../../../src/adapters/http/answer/error-codes.js";

describe("The list of error codes", () => {
  it("has every code with its status, and no other", () => {
    expect(STATUS_OF_CODE).to.deep.equal({
      malformed_request: 400,
      missing_body: 400,
      invalid_json: 400,
      duplicate_field: 400,
      unknown_field: 400,
      missing_field: 400,
      invalid_field: 400,
      invalid_parameter: 400,
      duplicate_parameter: 400,
      unknown_parameter: 400,
      invalid_cursor: 400,
      invalid_idempotency_key: 400,
      idempotency_key_reused: 400,
      missing_credentials: 401,
      invalid_credentials: 401,
      pet_not_found: 404,
      route_not_found: 404,
      method_not_allowed: 405,
      not_acceptable: 406,
      request_timeout: 408,
      operation_removed: 410,
      body_too_large: 413,
      unsupported_media_type: 415,
      rate_limited: 429,
      headers_too_large: 431,
      internal_error: 500,
      storage_unavailable: 503,
      overloaded: 503,
      shutting_down: 503,
    });
  });
});
