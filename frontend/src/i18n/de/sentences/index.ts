import type { Sentences } from "../../sentences";
import { risks } from "../risks";
import { accounts } from "./accounts";
import { failures } from "./failures";
import { features } from "./features";
import { files } from "./files";
import { heartbeats } from "./heartbeats";
import { mattermost } from "./mattermost";
import { parameters } from "./parameters";
import { permissions } from "./permissions";
import { program } from "./program";
import { sessions } from "./sessions";
import { tools } from "./tools";
import { updates } from "./updates";

/** The back end's sentences. */
export const sentences = { ...accounts, ...failures, ...features, ...files, ...heartbeats, ...mattermost, ...parameters, ...permissions, ...program, ...risks, ...sessions, ...tools, ...updates } satisfies Sentences;
