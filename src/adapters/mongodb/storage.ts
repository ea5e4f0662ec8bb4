import { createRequire } from "node:module";
import type { StorageAdapter } from "../../application/ports/storage.js";
import { hideSecrets, maskPassword } from "../../storages/mask-url.js";

// Only a URL of MongoDB loads the driver.
const require = createRequire(import.meta.url);

const FORMS = [
  urlForm(/mongodb/, /[^\s/?#@,]+(,[^\s/?#@,]+)*/),
  // The driver looks up its one host in DNS, which has the ports.
  urlForm(/mongodb\+srv/, /[^\s/?#@,:]+/),
];

/** Options of the driver that are secret, also where their names are misspelt: passwords, tokens and properties. */
const SECRETS = /([?&][^=&]*(?:pass|pas?w|pwd|secret|token|properties)[^=&]*=)[^&]*/gi;

const mongodb: StorageAdapter = {
  api: 2,
  schemes: ["mongodb", "mongodb+srv"],
  form: "mongodb://HOST/DATABASE",
  shared: true,
  durable: true,
  check(url) {
    if (!FORMS.some((form) => form.test(url)))
      return (
        "must be mongodb://HOST/DATABASE (in user and password every special character as %XX) or " +
        "mongodb+srv://HOST/DATABASE (without a port), e.g. mongodb://127.0.0.1:27017/petstore"
      );
    const { MongoClient }: typeof import("mongodb") = require("mongodb");
    try {
      new MongoClient(url);
      return undefined;
    } catch (error) {
      return `must be a URL that the driver takes: ${hideSecrets(mongodb, url)((error as Error).message)}`;
    }
  },
  mask: (url) => maskPassword(url).replace(SECRETS, "$1***"),
  async open(url, context) {
    const { openMongodb } = await import("./open-mongodb.js");
    return openMongodb(url, context);
  },
};

export default mongodb;

/** User and password are percent-encoded; the database has a valid name; options may follow. */
function urlForm(scheme: RegExp, hosts: RegExp): RegExp {
  const user = "([^\\s/?#@:]+(:[^\\s/?#@:]*)?@)?";
  const database = '[^\\s/?#@\\\\."$*<>:|%]{0,63}';
  return new RegExp(`^${scheme.source}://${user}${hosts.source}(/${database})?(\\?[^\\s#]*)?$`);
}
