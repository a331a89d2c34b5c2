import type { JSX } from "solid-js";
import { text } from "../../i18n";
import "../start/start-page.css";

/** The page without a token, or with one that is not accepted. */
export function Unauthorized(): JSX.Element {
  return (
    <main data-component="start-page">
      <div data-slot="page">
        <div data-slot="column">
          <h1>{text().shell.unauthorizedTitle}</h1>
          <p data-slot="lead">{text().shell.unauthorizedLead}</p>
          <p data-slot="lead">
            {text().shell.unauthorizedSteps.go}
            <code>parley serve</code>
            {text().shell.unauthorizedSteps.open}
            <code>…/#token=…</code>
          </p>
        </div>
      </div>
    </main>
  );
}
