// The elements of a virtual list. The list would temporarily set inherited properties for all rows; here they are set
// on one element or not at all, because the browser would have to recalculate the styles of the whole conversation.

import { children, createRenderEffect, type JSX } from "solid-js";

/**
 * The list itself. Rows that stay are never removed from the page, as Solid does if few stay: an element that is
 * removed and inserted again loses a click in progress, the focus, the selection and its scroll position. The list
 * would disable pointer events on its rows until 150 ms after the last scrolling: while it follows incoming text, that
 * would be all the time.
 */
export function SteadyRows(props: { ref?: (element: HTMLDivElement) => void; style?: JSX.CSSProperties; children?: JSX.Element }): JSX.Element {
  const rows = children(() => props.children);
  const style = () => ({ ...props.style, "pointer-events": undefined });
  const root = (<div ref={(element) => props.ref?.(element)} style={style()} />) as HTMLDivElement;
  createRenderEffect(() => place(root, rows.toArray().filter((row) => row instanceof Element)));
  return root;
}

/** A row of the list, invisible until it is measured. */
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

/** Makes rows the children of an element. Existing ones keep their order, and nothing is moved. */
function place(root: Element, rows: readonly Element[]): void {
  const wanted = new Set(rows);
  for (const gone of [...root.children].filter((child) => !wanted.has(child))) gone.remove();
  let next = root.firstChild;
  for (const row of rows) {
    if (row === next) next = next.nextSibling;
    else root.insertBefore(row, next);
  }
}
