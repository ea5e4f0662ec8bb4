import * as v from "valibot";
import { findAdapter, type KnownStorages } from "../storages/known-storages.js";
import { maskUrl } from "../storages/mask-url.js";
import { type Environment, settingsSchema } from "./settings.js";

const MASK = "***";

/**
 * For `petstore config`: every setting with its present value, secrets masked, and its fault; then each variable that
 * looks like a setting and is none.
 */
export function describeSettings(environment: Environment, storages: KnownStorages) {
  const schema = settingsSchema(storages);
  const issues = v.safeParse(schema, environment).issues ?? [];
  const settings = Object.entries(schema.entries).map(([name, { default: fallback }]) => {
    const given = environment[name];
    const value = given ?? fallback ?? null;
    const faults = issues.filter((issue) => v.getDotPath(issue) === name).map(({ message }) => message);
    const fault = faults.join("; ") || null;
    return {
      name,
      value: value && mask(name, value, fault !== null, storages),
      origin: given === undefined ? ("default" as const) : ("environment" as const),
      fault,
    };
  });
  const unknown = unknownSettings(environment, storages).map((name) => ({
    name,
    value: MASK,
    origin: "environment" as const,
    fault: "is not a setting; is it misspelt?",
  }));
  const shown = settings.filter(
    ({ name, origin }) => name !== "PETSTORE_WORKERS" || origin === "environment",
  );
  return [...shown, ...unknown];
}

/** Names of variables that look like settings and are none, perhaps misspelt. */
export function unknownSettings(environment: Environment, storages: KnownStorages): string[] {
  const { entries } = settingsSchema(storages);
  return Object.keys(environment).filter((name) => name.startsWith("PETSTORE_") && !(name in entries));
}

function mask(name: string, value: string, isFaulty: boolean, storages: KnownStorages): string {
  if (name === "PETSTORE_API_KEY") return MASK;
  // If a URL has a typing error, nobody knows which part of it is the password.
  if (name === "PETSTORE_STORAGE" && isFaulty && value.includes("@")) return MASK;
  // Any value may be a URL with a password, if only by mistake.
  return maskUrl(findAdapter(value, storages), value);
}
