import ExternalLink from "lucide-solid/icons/external-link";
import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { gitHubPage } from "./form";

/** Ways to get a GitHub token: create one in the browser, or take it from the GitHub CLI. */
export function GitHubToken(props: { fromCLI: boolean; onFromCLI: (on: boolean) => void }): JSX.Element {
  const { host } = useApp();
  return (
    <div data-slot="github">
      <Button size="small" onClick={() => host.openExternal(gitHubPage)}>
        <ExternalLink size={14} />
        {text().profiles.gitHubCreate}
      </Button>
      <label>
        <input type="checkbox" checked={props.fromCLI} onChange={(event) => props.onFromCLI(event.currentTarget.checked)} />
        {text().profiles.gitHubFromCLI}
      </label>
      <small>{text().profiles.gitHubAbout}</small>
    </div>
  );
}
