/** The client of Domicile for a shop's page. */

export type * from "./api.js";
