import { register } from "node:module";

// `node --import replace.js`: puts the module at the address PIECE in place of the service's module PIECE_OF.

const { PIECE_OF, PIECE } = process.env;
register("./replace-hooks.js", { parentURL: import.meta.url, data: { of: PIECE_OF, by: PIECE } });
