/** Opens the menu of the element's row, below the element. */
export function openMenuAt(element: HTMLElement): void {
  const { left, bottom } = element.getBoundingClientRect();
  element.dispatchEvent(
    new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: left, clientY: bottom + 2 }),
  );
}
