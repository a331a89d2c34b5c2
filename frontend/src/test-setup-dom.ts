// Runs for each test file with a page.

import { cleanup } from "@solidjs/testing-library";
import { afterAll, afterEach } from "vitest";
import { endWhatBegan } from "./test/globals";
import { leavePage } from "./test/page";

afterEach(cleanup);
afterAll(async () => {
  await endWhatBegan();
  await leavePage();
});
