// The elements of a virtual list, to be given to it. What the list would set for a moment on
// everything that is drawn, because elements inherit it, is set here on one element, or not at
// all: the browser would have to work out the styles of a whole conversation again.

import { children, createRenderEffect, type JSX } from "solid-js";

/**
 * The list itself. Rows that stay are never taken out of the page, which Solid does with
 * them where few stay: what is taken out and put in again loses the click that is under way,
 * the focus, what is selected and how far it was scrolled.
 *
 * The list would not let the pointer reach its rows until 150 ms after it was scrolled last.
 * That is never while it follows what comes in, and the user wants to click anyway.
 */
export function SteadyRows(props: { ref?: (element: HTMLDivElement) => void; style?: JSX.CSSProperties; children?: JSX.Element }): JSX.Element {
  const rows = children(() => props.children);
  const style = () => ({ ...props.style, "pointer-events": undefined });
  const root = (<div ref={(element) => props.ref?.(element)} style={style()} />) as HTMLDivElement;
  createRenderEffect(() => place(root, rows.toArray().filter((row) => row instanceof Element)));
  return root;
}

/** A row of the list, which is not to be seen before it is measured. */
export function SteadyRow(props: { ref?: (element: HTMLDivElement) => void; style?: JSX.CSSProperties; children?: JSX.Element }): JSX.Element {
  const style = () => {
    const { visibility, ...style } = props.style ?? {};
    return { ...style, opacity: visibility === "hidden" ? 0 : undefined };
  };
  return (
    <div ref={(element) => props.ref?.(element)} style={style()}>
      {props.children}
    </div>
  );
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
