import { register } from "node:module";

// `node --import replace.js`: the module PIECE_OF of the service is replaced by the one at the address PIECE.

const { PIECE_OF, PIECE } = process.env;
register("./replace-hooks.js", { parentURL: import.meta.url, data: { of: PIECE_OF, by: PIECE } });
