import { withRevision } from "./build-revision.js";
import { comparison } from "./report.js";
import { petstore } from "./server.js";
import { compare } from "./turns.js";

const STORAGES = ["memory:", "sqlite:./petstore.db"];

/** This service beside itself at another commit. */
export function before(revision: string): Promise<string> {
  return withRevision(revision, async (folder) => {
    const sections: string[] = [];
    for (const url of STORAGES) {
      const environment = { PETSTORE_STORAGE: url };
      const kinds = [petstore("now", environment), petstore(revision, environment, folder)];
      const results = await compare(kinds);
      const names = kinds.map(({ name }) => name);
      sections.push(`## Beside ${revision}, ${url}\n\n${comparison(results, names, [[0, 1]])}`);
    }
    return sections.join("\n\n");
  });
}
