// koa-compose for `adapters/http/compose.js`.
export { default as compose } from "koa-compose";
