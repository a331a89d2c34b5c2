// Gets what was made onto paper.

import "./document.css";
import "./print.css";

/** Prints markup that has been sanitised. Returns when the dialog has ended, where the browser says so. */
export function printBody(body: string): void {
  const root = document.createElement("main");
  root.className = "parley-export";
  root.dataset["component"] = "print";
  root.innerHTML = body;
  // Nothing is folded on paper.
  for (const details of root.querySelectorAll("details")) details.open = true;
  document.body.append(root);
  const done = () => {
    root.remove();
    removeEventListener("afterprint", done);
  };
  addEventListener("afterprint", done);
  print();
}
