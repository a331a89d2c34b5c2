// For each file of tests without a page.

import { afterAll } from "vitest";
import { endWhatBegan } from "./test/globals";

afterAll(endWhatBegan);
