import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./eventually.js";
import { freePort } from "./free-port.js";

const SITE = join(import.meta.dirname, "../../../deploy/nginx.conf");

export interface StartedNginx {
  /** The port with TLS, under a certificate that the test has made. */
  readonly httpsPort: number;
  readonly httpPort: number;
  stop(): Promise<void>;
}

/** Runs nginx in front of `upstreamPort`, with the site of `deploy/` but for its ports and its certificate. */
export async function startNginx(folder: string, upstreamPort: number): Promise<StartedNginx> {
  const [httpsPort, httpPort] = await Promise.all([freePort(), freePort()]);
  const certificate = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
  spawnSync("openssl", [...options.split(" "), "-keyout", key, "-out", certificate]);

  let site = readFileSync(SITE, "utf8");
  for (const [text, replacement] of [
    ["server 127.0.0.1:3000;", `server 127.0.0.1:${upstreamPort};`],
    ["listen 443 ssl http2;", `listen 127.0.0.1:${httpsPort} ssl http2;`],
    ["listen [::]:443 ssl http2;", ""],
    ["listen 80;", `listen 127.0.0.1:${httpPort};`],
    ["listen [::]:80;", ""],
    ["/etc/letsencrypt/live/pets.example.org/fullchain.pem", certificate],
    ["/etc/letsencrypt/live/pets.example.org/privkey.pem", key],
  ] as const) {
    if (!site.includes(text)) throw new Error(`deploy/nginx.conf does not say: ${text}`);
    site = site.replace(text, replacement);
  }
  return { httpsPort, httpPort, stop: await run(folder, site) };
}

/** Runs nginx with a site and without any other, and gives the function that ends it. */
async function run(folder: string, site: string): Promise<() => Promise<void>> {
  const temporary = join(folder, "nginx");
  mkdirSync(temporary);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const configuration = join(folder, "nginx.conf");
  const pid = join(folder, "nginx.pid");
  const errors = join(folder, "error.log");
  writeFileSync(
    configuration,
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
worker_processes 1;
pid ${pid};
error_log ${errors};
events { worker_connections 512; }
http {
  access_log off;
  ${paths.map((name) => `${name}_temp_path ${temporary}/${name};`).join("\n  ")}
  ${site}
}
`,
  );
  const args = ["-c", configuration, "-e", errors, "-p", folder];
  const nginx = spawn("nginx", args, { stdio: ["ignore", "inherit", "inherit"] });
  const exited = once(nginx, "exit");
  // nginx writes the file once it listens.
  await until(() => existsSync(pid) || nginx.exitCode !== null);
  if (nginx.exitCode !== null) throw new Error(`nginx does not start: ${readFileSync(errors, "utf8")}`);
  return async () => {
    nginx.kill();
    await exited;
  };
}
