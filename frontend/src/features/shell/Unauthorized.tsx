import type { JSX } from "solid-js";
import "../start/start-page.css";

/** The page without a token, or with one that is not accepted. */
export function Unauthorized(): JSX.Element {
  return (
    <main data-component="start-page">
      <div data-slot="page">
        <div data-slot="column">
          <h1>Open Parley with its link</h1>
          <p data-slot="lead">
            This page does not have the key to the Parley that serves it. The key is part of the link and is kept in
            memory only, so a reload or a bookmark loses it, and a new start of Parley makes a new one.
          </p>
          <p data-slot="lead">
            Go to the terminal where <code>parley serve</code> runs, and open the address it printed, with the token
            after it: <code>…/#token=…</code>
          </p>
        </div>
      </div>
    </main>
  );
}
