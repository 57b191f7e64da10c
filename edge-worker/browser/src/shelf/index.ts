/** The component: `<domicile-shelf>`, and what connects it. Loading it defines the element. */

export type * from "../api.js";
export { connect } from "./connection.js";
export type * from "./moments.js";
export type { RenderCard } from "./rack.js";
export { DomicileShelf } from "./shelf.js";
