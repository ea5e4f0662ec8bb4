import { ARCHIVES } from "./bugs/archives.js";
import type { Bug } from "./bugs/bug.js";
import { IDS } from "./bugs/ids.js";
import { KEYS } from "./bugs/keys.js";
import { LIVES } from "./bugs/lives.js";
import { OUTAGES } from "./bugs/outages.js";
import { READS } from "./bugs/reads.js";
import { VALUES } from "./bugs/values.js";

export const BUGS: readonly Bug[] = [...VALUES, ...READS, ...IDS, ...KEYS, ...LIVES, ...OUTAGES, ...ARCHIVES];
