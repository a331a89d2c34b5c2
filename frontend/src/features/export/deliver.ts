// Prints an export.

import "./document.css";
import "./print.css";

/** Prints sanitized markup. Resolves when the dialog has closed, if the browser reports that. */
export function printBody(body: string): void {
  const root = document.createElement("main");
  root.className = "parley-export";
  root.dataset["component"] = "print";
  root.innerHTML = body;
  // Expand everything on paper.
  for (const details of root.querySelectorAll("details")) details.open = true;
  document.body.append(root);
  const done = () => {
    root.remove();
    removeEventListener("afterprint", done);
  };
  addEventListener("afterprint", done);
  print();
}
