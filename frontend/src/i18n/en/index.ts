import { common } from "./common";
import { names } from "./names";
import { figures } from "./figures";
import { connection } from "./connection";
import { timeline } from "./timeline";
import { tools } from "./tools";
import { blocks } from "./blocks";
import { inspector } from "./inspector";
import { usage } from "./usage";
import { todos } from "./todos";
import { composer } from "./composer";
import { desk } from "./desk";
import { settings } from "./settings";
import { permission } from "./permission";
import { devices } from "./devices";
import { ways } from "./ways";
import { exporting } from "./exporting";
import { failures } from "./failures";
import { find } from "./find";
import { approval } from "./approval";
import { sessions } from "./sessions";
import { switcher } from "./switcher";
import { search } from "./search";
import { profiles } from "./profiles";
import { start } from "./start";
import { tour } from "./tour";
import { panes } from "./panes";
import { processes } from "./processes";
import { choices } from "./choices";
import { folder } from "./folder";
import { shell } from "./shell";
import { menus } from "./menus";
import { heartbeats } from "./heartbeats";
import { memory } from "./memory";
import { rooms } from "./rooms";
import { chat } from "./chat";
import { toolsets } from "./toolsets";
import { ownTools } from "./ownTools";
import { outside } from "./outside";
import { problems } from "./problems";
import { snapshots } from "./snapshots";

/** English, the reference. */
export const en = {
  common,
  names,
  figures,
  connection,
  timeline,
  tools,
  blocks,
  inspector,
  usage,
  todos,
  composer,
  desk,
  settings,
  permission,
  devices,
  ways,
  exporting,
  failures,
  find,
  approval,
  sessions,
  switcher,
  search,
  profiles,
  start,
  tour,
  panes,
  processes,
  choices,
  folder,
  shell,
  menus,
  heartbeats,
  memory,
  rooms,
  chat,
  toolsets,
  ownTools,
  outside,
  problems,
  snapshots,
};
