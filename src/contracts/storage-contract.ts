/** The contract of a storage as data. The package exports this module as `petstore/storage/contract`. */
export { STORAGE_CONTRACT } from "./cases.js";
export { type ContractCase, RuleBroken } from "./contract-case.js";
export { describeContract, type TestRunner } from "./describe-contract.js";
export { storageOf } from "./storage-of.js";
export { type Need, type Outage, type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";
