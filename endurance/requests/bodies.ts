import type { Random } from "../random.js";

const NAMES = [
  '"Rex"',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"🐢"',
  '"\\u0061"',
  "1",
  "null",
  "[]",
  "{}",
  `"${"x".repeat(255)}"`,
  `"${"x".repeat(256)}"`,
  '"a\nb"',
  "true",
];
const CATEGORIES = [
  "1",
  "0",
  "-0",
  "5.0",
  "5e0",
  "5.5",
  "1e400",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "01",
  "+1",
  '"1"',
  "null",
  "NaN",
  "0x1",
  "1e-3",
  "-9223372036854775809",
  "123456789012345678901234567890",
];
const STATUSES = ['"available"', '"pending"', '"sold"', '"lost"', '""', "null", "1", '"Sold"', "[]"];
const OTHERS = [
  '"id":1',
  '"__proto__":{}',
  '"constructor":1',
  '"Name":"x"',
  '"na\\u006de":"x"',
  '"x":[[[[1]]]]',
  '"":0',
];
const WHOLE = [
  "",
  " ",
  "null",
  "true",
  "1",
  '"x"',
  "[]",
  "{}",
  "{",
  "}",
  "{}}",
  "[{}]",
  '{"name"}',
  "\ufeff{}",
  "//",
  "undefined",
];

/** A body of a create: mostly right, or nearly so. */
export function anyBody(random: Random): Buffer {
  if (random.chance(0.08)) return Buffer.from(random.pick(WHOLE));
  const mostly = (values: readonly string[]) =>
    random.chance(0.75) ? (values[0] as string) : random.pick(values);
  const members = [`"name":${mostly(NAMES)}`, `"categoryId":${mostly(CATEGORIES)}`];
  if (random.chance(0.5)) members.push(`"status":${mostly(STATUSES)}`);
  if (random.chance(0.1)) members.push(random.pick(OTHERS));
  if (random.chance(0.05)) members.push(random.pick(members));
  if (random.chance(0.07)) members.splice(random.between(0, members.length - 1), 1);
  if (random.chance(0.2)) members.reverse();
  const space = random.chance(0.1) ? random.pick([" ", "\n", "\t\r\n", "\u00a0"]) : "";
  const bytes = Buffer.from(`{${space}${members.join(`${space},`)}${space}}`);
  return random.chance(0.08) ? damage(bytes, random) : bytes;
}

function damage(bytes: Buffer, random: Random): Buffer {
  const at = random.between(0, bytes.length - 1);
  const damaged = Buffer.from(bytes);
  switch (random.between(0, 4)) {
    case 0:
      return damaged.subarray(0, at);
    case 1:
      damaged[at] = random.between(0, 255);
      return damaged;
    case 2:
      return Buffer.concat([damaged.subarray(0, at), Buffer.from([0xff, 0xc0]), damaged.subarray(at)]);
    case 3:
      return Buffer.concat([damaged, Buffer.alloc(random.pick([1, 17_000]), " ")]);
    default:
      return Buffer.from(`${"[".repeat(random.between(1, 8000))}`);
  }
}
