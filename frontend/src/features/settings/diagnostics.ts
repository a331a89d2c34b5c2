import { text } from "../../i18n";
import { HostError } from "../../host/host";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import type { App } from "../../store/context";

/** Copies the details for a bug report. Rejects with a HostError. */
export async function copyDiagnostics(app: App): Promise<void> {
  const { text: report } = await app.host.call("app.diagnostics", {});
  if (!(await writeClipboard(report))) throw new HostError("unavailable", text().connection.clipboard);
}
