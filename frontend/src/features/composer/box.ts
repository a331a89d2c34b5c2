// Changes the text of a box so that the user can undo it.

/** Longer texts are inserted without an undo step: the browser is slow at that. */
const undoable = 50_000;

/** Replaces a part of the box's text and puts the caret after it. */
export function replace(box: HTMLTextAreaElement, from: number, to: number, text: string, onInput: (text: string) => void): void {
  box.focus();
  const whole = box.value.slice(0, from) + text + box.value.slice(to);
  if (text.length > undoable || !insert(box, from, to, text) || box.value !== whole) {
    box.value = whole;
    onInput(whole);
  }
  box.setSelectionRange(from + text.length, from + text.length);
}

/** Inserts the text as if typed; false if the browser doesn't support that. */
function insert(box: HTMLTextAreaElement, from: number, to: number, text: string): boolean {
  if (typeof document.execCommand !== "function") return false;
  box.setSelectionRange(from, to);
  // Nothing else preserves the box's native undo.
  return text === "" ? from === to || document.execCommand("delete") : document.execCommand("insertText", false, text);
}

/** Whether the browser can grow a box with its text. */
const grows = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");
/** A text of this length fills the largest box anyway. */
const fills = 20_000;

/** Fits the box's height to its text; the stylesheet sets the maximum. */
export function fit(box: HTMLTextAreaElement): void {
  if (grows) return;
  // Measuring a long text at every key would slow down typing.
  if (box.value.length > fills) {
    box.style.height = "100vh";
    return;
  }
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
