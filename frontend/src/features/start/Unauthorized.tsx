import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import "./start-page.css";

/** Shown when the token is missing or rejected. */
export function Unauthorized(): JSX.Element {
  let field!: HTMLInputElement;
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
          <form
            onSubmit={(event) => {
              event.preventDefault();
              location.hash = `token=${encodeURIComponent(field.value.trim())}`;
              location.reload();
            }}
          >
            <label>
              <span>{text().devices.enter}</span>
              <input ref={(el) => (field = el)} data-component="text-field" required autocomplete="off" autocapitalize="characters" spellcheck={false} />
            </label>
            <Button type="submit">{text().devices.enterDo}</Button>
          </form>
        </div>
      </div>
    </main>
  );
}
