import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { LAST_ID, prepareExact } from "../../rows.js";

/** The ids of pets. It gives them in ascending order and never again, even once the highest pet is gone. */
export class Sequence {
  private readonly selectLast: StatementSyncInstance;
  private readonly update: StatementSyncInstance;
  private readonly insert: StatementSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    this.selectLast = prepareExact(database, LAST_ID);
    this.update = database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'pets'");
    this.insert = database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)");
  }

  /** The last id that was given. */
  last(): bigint {
    return (this.selectLast.get() as [bigint])[0];
  }

  /** Sets the last id, even downwards. */
  set(last: bigint): void {
    if (Number(this.update.run(last).changes) === 0) this.insert.run(last);
  }
}
