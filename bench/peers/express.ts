import type { AddressInfo } from "node:net";
import express, { type NextFunction, type Request, type Response } from "express";
import { z } from "zod";
import {
  announce,
  Catalogue,
  CHALLENGE,
  errorOf,
  isAuthorized,
  NOT_FOUND,
  STATUSES,
  UNAUTHORIZED,
} from "./catalogue.js";

// Express 5 as most people write it: express.json(), a Router, zod for requests, res.json() for answers.

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

const catalogue = new Catalogue();
const pets = express.Router();

pets.use((req, res, next) => {
  if (isAuthorized(req.headers.authorization)) next();
  else res.status(401).set("WWW-Authenticate", CHALLENGE).json(UNAUTHORIZED);
});

pets.get("/", (req, res) => {
  const { limit, status } = ListQuery.parse(req.query);
  res.json(catalogue.list(limit, status));
});

pets.post("/", express.json(), (req, res) => {
  const pet = catalogue.create(NewPet.parse(req.body));
  res.status(201).location(`/v1/pets/${pet.id}`).json(pet);
});

pets.get("/:petId", (req, res) => {
  const pet = catalogue.get(PetParams.parse(req.params).petId);
  if (pet) res.json(pet);
  else res.status(404).json(NOT_FOUND);
});

const app = express();
app.use("/v1/pets", pets);
app.use((error: Error & { status?: number }, _req: Request, res: Response, _next: NextFunction) => {
  const status = error instanceof z.ZodError ? 400 : (error.status ?? 500);
  const code = error instanceof z.ZodError ? "invalid_field" : "malformed_request";
  res.status(status).json(errorOf(status, code, error.message));
});

const server = app.listen(0, "127.0.0.1", () => announce((server.address() as AddressInfo).port));
