import type { AddressInfo } from "node:net";
import Router from "@koa/router";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import * as v from "valibot";
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

// Koa in the obvious way: bodyParser() for all, valibot, ctx.body = object.

const integer = v.pipe(v.string(), v.digits(), v.transform(Number));

const NewPet = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  categoryId: v.pipe(v.number(), v.integer()),
  status: v.optional(v.picklist(STATUSES), "available"),
});
const ListQuery = v.object({
  limit: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(100)), "20"),
  status: v.optional(v.picklist(STATUSES)),
});
const PetParams = v.object({ petId: integer });

const catalogue = new Catalogue();
const router = new Router({ prefix: "/v1" });

router.get("/pets", (ctx) => {
  const { limit, status } = v.parse(ListQuery, ctx.query);
  ctx.body = catalogue.list(limit, status);
});

router.post("/pets", (ctx) => {
  const pet = catalogue.create(v.parse(NewPet, ctx.request.body));
  ctx.status = 201;
  ctx.set("Location", `/v1/pets/${pet.id}`);
  ctx.body = pet;
});

router.get("/pets/:petId", (ctx) => {
  const pet = catalogue.get(v.parse(PetParams, ctx.params).petId);
  if (!pet) ctx.status = 404;
  ctx.body = pet ?? NOT_FOUND;
});

const app = new Koa();
app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const failure = error as Error & { status?: number };
    const invalid = v.isValiError(failure);
    ctx.status = invalid ? 400 : (failure.status ?? 500);
    ctx.body = errorOf(ctx.status, invalid ? "invalid_field" : "malformed_request", failure.message);
  }
});
app.use(async (ctx, next) => {
  if (isAuthorized(ctx.get("Authorization"))) return next();
  ctx.status = 401;
  ctx.set("WWW-Authenticate", CHALLENGE);
  ctx.body = UNAUTHORIZED;
});
app.use(bodyParser());
app.use(router.routes());
app.use(router.allowedMethods());

const server = app.listen(0, "127.0.0.1", () => announce((server.address() as AddressInfo).port));
