import { children, createRenderEffect, type JSX } from "solid-js";

/**
 * The element of a virtual list, to be given to it. Rows that stay are never taken out of
 * the page, which Solid does with them where few stay: what is taken out and put in again
 * loses the click that is under way, the focus, what is selected and how far it was scrolled.
 */
export function SteadyRows(props: { ref?: (element: HTMLDivElement) => void; style?: JSX.CSSProperties; children?: JSX.Element }): JSX.Element {
  const rows = children(() => props.children);
  const root = (<div ref={(element) => props.ref?.(element)} style={props.style} />) as HTMLDivElement;
  createRenderEffect(() => place(root, rows.toArray().filter((row) => row instanceof Element)));
  return root;
}

/** Makes rows the children of an element. Those that were there stay in their order, and nothing is moved. */
function place(root: Element, rows: readonly Element[]): void {
  const wanted = new Set(rows);
  for (const gone of [...root.children].filter((child) => !wanted.has(child))) gone.remove();
  let next = root.firstChild;
  for (const row of rows) {
    if (row === next) next = next.nextSibling;
    else root.insertBefore(row, next);
  }
}
