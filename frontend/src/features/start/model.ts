import type { Info } from "../../host/border.gen";

/** What keeps a first session from being started, "" for nothing. */
export function obstacle(info: Info | null): "" | "cli" | "account" {
  if (!info || info.rehearsal) return "";
  if (!info.cli.found || info.cli.code) return "cli";
  return info.account.found ? "" : "account";
}
