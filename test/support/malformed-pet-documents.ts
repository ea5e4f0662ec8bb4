import { Decimal128, type Document, Double } from "mongodb";

export const REX = { name: "Rex", categoryId: 7n, status: "sold" };

/** Documents of `pets` that another program has left malformed, by what is wrong. They have the id 3, or nearly. */
export const MALFORMED: Readonly<Record<string, Document>> = {
  "no name": { _id: 3n, categoryId: 7n, status: "sold" },
  "a name that is a number": { ...REX, _id: 3n, name: 5 },
  "a name that is null": { ...REX, _id: 3n, name: null },
  "no status": { _id: 3n, name: "Rex", categoryId: 7n },
  "a status of another word": { ...REX, _id: 3n, status: "bought" },
  "a status that is a list": { ...REX, _id: 3n, status: ["sold"] },
  "no categoryId": { _id: 3n, name: "Rex", status: "sold" },
  "a categoryId that is a double": { ...REX, _id: 3n, categoryId: new Double(7) },
  "a categoryId that is a text": { ...REX, _id: 3n, categoryId: "7" },
  "an id that is a double": { ...REX, _id: new Double(3) },
  "an id that is a fraction": { ...REX, _id: new Double(3.5) },
  "an id that is a decimal": { ...REX, _id: Decimal128.fromString("3") },
};
