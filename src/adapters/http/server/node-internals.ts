import type { ServerResponse } from "node:http";

interface HeadMade {
  _header: string;
}
export function appendToHead(res: ServerResponse, lines: string, body = ""): void {
  const made = res as unknown as HeadMade;
  if (body) made._header += body;
  else made._header = `${made._header.slice(0, -2)}${lines}\r\n`;
}
