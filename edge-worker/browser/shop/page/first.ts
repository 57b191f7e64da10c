/** Runs before anything is painted: what the page is about, so that its room is kept and no other page's text is seen. */

import { placeOf } from "./place.js";

document.documentElement.dataset["place"] = placeOf(location.pathname);
