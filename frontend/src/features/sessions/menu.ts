/** Opens the menu of the row that the element is in, below the element. */
export function openMenuAt(element: HTMLElement): void {
  const { left, bottom } = element.getBoundingClientRect();
  element.dispatchEvent(
    new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: left, clientY: bottom + 2 }),
  );
}
