import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { type Context, Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";
import { announce, Catalogue, errorOf, isAccepted, NOT_FOUND, STATUSES, UNAUTHORIZED } from "./catalogue.js";

// Hono on Node as its guide shows it: bearerAuth, zValidator, c.json().

const NewPet = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.int(),
  status: z.enum(STATUSES).default("available"),
});
const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: z.enum(STATUSES).optional(),
});
const PetParams = z.object({ petId: z.coerce.number().int() });

const refuse = (result: { success: boolean }, c: Context) =>
  result.success ? undefined : c.json(errorOf(400, "invalid_field", "The request is not valid."), 400);

const catalogue = new Catalogue();
const app = new Hono();

const refusal = { message: UNAUTHORIZED };
app.use(
  "/v1/*",
  bearerAuth({
    realm: "petstore",
    verifyToken: isAccepted,
    noAuthenticationHeader: refusal,
    invalidAuthenticationHeader: refusal,
    invalidToken: refusal,
  }),
);

app.get("/v1/pets", zValidator("query", ListQuery, refuse), (c) => {
  const { limit, status } = c.req.valid("query");
  return c.json(catalogue.list(limit, status));
});

app.post("/v1/pets", zValidator("json", NewPet, refuse), (c) => {
  const pet = catalogue.create(c.req.valid("json"));
  return c.json(pet, 201, { Location: `/v1/pets/${pet.id}` });
});

app.get("/v1/pets/:petId", zValidator("param", PetParams, refuse), (c) => {
  const pet = catalogue.get(c.req.valid("param").petId);
  return pet ? c.json(pet) : c.json(NOT_FOUND, 404);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => announce(port));
