/** The world of a file's tests: there before the first, with no trick played at the beginning of each, closed at last. */

import { after, before, beforeEach } from "node:test";
import { World } from "./world.js";

export let world: World;

before(async () => {
  world = await World.open();
  await world.demo.mend();
});
after(() => world.close());
beforeEach(() => world.reset());
