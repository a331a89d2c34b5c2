// Runs for each test file without a page.

import { afterAll } from "vitest";
import { endWhatBegan } from "./test/globals";

afterAll(endWhatBegan);
