import type { ContractCase } from "./contract-case.js";
import { ARCHIVE_ID_CASES } from "./pet-archive/ids.js";
import { MARK_CASES } from "./pet-archive/mark.js";
import { READING_CASES } from "./pet-archive/reading.js";
import { STORING_CASES } from "./pet-archive/storing.js";
import { ABSENCE_CASES } from "./pet-repository/absence.js";
import { COST_CASES } from "./pet-repository/cost.js";
import { IDEMPOTENCY_CASES } from "./pet-repository/idempotency.js";
import { ID_CASES } from "./pet-repository/ids.js";
import { LIFECYCLE_CASES } from "./pet-repository/lifecycle.js";
import { LIST_CASES } from "./pet-repository/lists.js";
import { OUTAGE_CASES } from "./pet-repository/outages.js";
import { TWO_INSTANCE_CASES } from "./pet-repository/two-instances.js";
import { VALUE_CASES } from "./pet-repository/values.js";

/**
 * The rules that every storage keeps. Each case checks one rule on a storage of its own. Any test runner can
 * run them, and so does `petstore conformance`.
 */
export const STORAGE_CONTRACT: readonly ContractCase[] = [
  ...VALUE_CASES,
  ...ABSENCE_CASES,
  ...LIST_CASES,
  ...ID_CASES,
  ...IDEMPOTENCY_CASES,
  ...LIFECYCLE_CASES,
  ...TWO_INSTANCE_CASES,
  ...COST_CASES,
  ...READING_CASES,
  ...STORING_CASES,
  ...ARCHIVE_ID_CASES,
  ...MARK_CASES,
  ...OUTAGE_CASES,
];
