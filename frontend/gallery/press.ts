// What a user does in a scene after the page is there.

/** Presses keys, written like the shortcuts: "Ctrl+Shift+F". */
export function press(chord: string): void {
  const parts = chord.split("+");
  const key = parts.pop() ?? "";
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(
    new KeyboardEvent("keydown", {
      key: key.length === 1 ? key.toLowerCase() : key,
      ctrlKey: parts.includes("Ctrl"),
      altKey: parts.includes("Alt"),
      shiftKey: parts.includes("Shift"),
      bubbles: true,
      cancelable: true,
    }),
  );
}

/** What still waits for its element, by its next frame. */
const waiting = new Set<number>();

function inNextFrame(again: () => void): void {
  const frame = requestAnimationFrame(() => {
    waiting.delete(frame);
    again();
  });
  waiting.add(frame);
}

/** Gives up what still waits: its scene has ended. */
export function stopPressing(): void {
  for (const frame of waiting) cancelAnimationFrame(frame);
  waiting.clear();
}

/** Presses keys until they have opened something: at first nobody may listen for them. */
export function opens(chord: string, selector: string): void {
  if (document.querySelector(selector)) return;
  press(chord);
  inNextFrame(() => opens(chord, selector));
}

/** Waits until there is such an element, then does something with it. */
export function when<E extends HTMLElement = HTMLElement>(selector: string, act: (element: E) => void): void {
  const found = document.querySelector<E>(selector);
  if (found) act(found);
  else inNextFrame(() => when(selector, act));
}

/** Clicks on what has a selector and, where one is given, says these words or is called so. */
export function click(selector: string, words = "", then: (element: HTMLElement) => void = () => {}): void {
  const named = (element: HTMLElement) => `${element.getAttribute("aria-label") ?? ""} ${element.textContent}`.includes(words);
  const found = [...document.querySelectorAll<HTMLElement>(selector)].find(named);
  if (!found) {
    inNextFrame(() => click(selector, words, then));
    return;
  }
  found.click();
  then(found);
}

/** Types a text into a field. */
export function type(selector: string, words: string): void {
  when<HTMLInputElement | HTMLTextAreaElement>(selector, (field) => {
    field.focus();
    field.value = words;
    field.dispatchEvent(new InputEvent("input", { bubbles: true, data: words, inputType: "insertText" }));
  });
}
