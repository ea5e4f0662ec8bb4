import type { StorageAdapter } from "petstore/storage";

const FORM = /^postgres(?:ql)?:\/\/[^/?#]*\/[^/?#]+(?:\?([^#]*))?$/;

/** This storage reads `schema` and `max`, the driver the others. */
const OPTIONS =
  "schema max user password host port sslmode sslcert sslkey sslrootcert application_name".split(" ");

const adapter: StorageAdapter = {
  api: 2,
  schemes: ["postgres", "postgresql"],
  form: "postgres://USER:PASSWORD@HOST/DATABASE",
  shared: true,
  durable: true,

  check(url) {
    const [matched, query] = FORM.exec(url) ?? [];
    if (matched === undefined) return "must name a server and a database, e.g. postgres://127.0.0.1/petstore";
    if (/%(?![0-9a-f]{2})/i.test(url)) return "must be a URL whose special characters are written as %XX";
    const options = new URLSearchParams(query);
    const unknown = [...options.keys()].find((name) => !OPTIONS.includes(name));
    if (unknown !== undefined) return `must have no option ${unknown}; there are ${OPTIONS.join(", ")}`;
    if (!/^[1-9]\d{0,2}$/.test(options.get("max") ?? "1")) return "must have a number from 1 to 999 as max";
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(options.get("schema") ?? "public")) {
      return "must have lower-case letters, digits and _ as schema, at most 63";
    }
    return undefined;
  },

  /** A password may stand before the host, or among the options. */
  mask: (url) =>
    url.replace(/^([^:]+:\/\/[^/?#]*?:)[^/?#]*@/, "$1***@").replace(/([?&][^=&]*password=)[^&]*/gi, "$1***"),

  async open(url, context) {
    // The driver takes memory, and only a service on this storage needs it.
    const { openPostgres } = await import("./open-postgres.js");
    return openPostgres(url, context);
  },
};

export default adapter;
