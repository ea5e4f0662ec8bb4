import type { GetPet } from "../../../application/get-pet.js";
import { HttpError } from "../http-error.js";
import { readId } from "../json/read-input.js";
import type { AppSettings, Operation } from "../operations.js";
import { petJson } from "./pet-schemas.js";

export function getPet(useCase: GetPet, { publicUrl = "", getPet }: AppSettings): Operation {
  return {
    id: "getPet",
    method: "get",
    path: "/v1/pets/:petId",
    // RFC 9745 and RFC 8594. Neither date may change; the first is the first release, 21 November 2026.
    deprecation: {
      Deprecation: "@1795219200",
      Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      Link:
        `<${publicUrl}/v1/pets?status=available>; rel="successor-version", ` +
        `<${publicUrl}/docs>; rel="deprecation"; type="text/html"`,
    },
    async handle(ctx) {
      if (getPet === "removed") throw REMOVED;
      return petJson(await useCase.execute(readId(ctx.params.petId)));
    },
  };
}

const REMOVED = new HttpError(
  "operation_removed",
  "This operation was removed; use GET /v1/pets with the status filter.",
);
