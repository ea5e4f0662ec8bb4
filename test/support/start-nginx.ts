import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.js";

const SITE = join(import.meta.dirname, "../../../deploy/nginx.conf");

export interface StartedNginx {
  /** The port with TLS, under a certificate that the test has made. */
  readonly httpsPort: number;
  readonly httpPort: number;
  stop(): Promise<void>;
}

/**
 * Runs nginx in front of `upstreamPort`, with the site of `deploy/` but for its ports and its certificate.
 */
export async function startNginx(folder: string, upstreamPort: number): Promise<StartedNginx> {
  const [httpsPort, httpPort] = await Promise.all([freePort(), freePort()]);
  const certificate = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
  spawnSync("openssl", [...options.split(" "), "-keyout", key, "-out", certificate]);

  let site = readFileSync(SITE, "utf8");
  const replace = (text: string, replacement: string) => {
    if (!site.includes(text)) throw new Error(`deploy/nginx.conf does not say: ${text}`);
    site = site.replace(text, replacement);
  };
  replace("server 127.0.0.1:3000;", `server 127.0.0.1:${upstreamPort};`);
  replace("listen 443 ssl http2;", `listen 127.0.0.1:${httpsPort} ssl http2;`);
  replace("listen [::]:443 ssl http2;", "");
  replace("listen 80;", `listen 127.0.0.1:${httpPort};`);
  replace("listen [::]:80;", "");
  replace("/etc/letsencrypt/live/pets.example.org/fullchain.pem", certificate);
  replace("/etc/letsencrypt/live/pets.example.org/privkey.pem", key);

  const temporary = join(folder, "nginx");
  mkdirSync(temporary);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const configuration = join(folder, "nginx.conf");
  writeFileSync(
    configuration,
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  ${paths.map((name) => `${name}_temp_path ${temporary}/${name};`).join("\n  ")}
  ${site}
}
`,
  );
  const nginx = spawn("nginx", ["-c", configuration, "-e", `${folder}/error.log`, "-p", folder], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = once(nginx, "exit");
  for (let tries = 0; !(await accepts(httpsPort)); tries++) {
    if (tries > 600 || nginx.exitCode !== null) {
      nginx.kill();
      throw new Error(`nginx does not start: ${readFileSync(`${folder}/error.log`, "utf8")}`);
    }
    await sleep(50);
  }
  return {
    httpsPort,
    httpPort,
    async stop() {
      nginx.kill();
      await exited;
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
