/** The settings that the API depends on; `settings.ts` explains them. */
export interface HttpSettings {
  readonly PETSTORE_PUBLIC_URL?: string | undefined;
  readonly PETSTORE_CORS_ORIGINS?: readonly string[] | undefined;
  readonly PETSTORE_TRUST_PROXY?: readonly string[] | undefined;
  readonly PETSTORE_RATE_LIMIT?: { readonly requests: number; readonly seconds: number } | undefined;
  readonly PETSTORE_MAX_IN_FLIGHT: number;
  readonly PETSTORE_GET_PET: "served" | "removed";
  readonly PETSTORE_READ_ONLY: "true" | "false";
}
