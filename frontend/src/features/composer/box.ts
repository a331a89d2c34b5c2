// Changing what stands in a text box so that the user can undo it.

/** Longer texts are put in without a step to undo: the browser takes long for that. */
const undoable = 50_000;

/** Replaces a part of the box's text and puts the caret behind it. */
export function replace(box: HTMLTextAreaElement, from: number, to: number, text: string, onInput: (text: string) => void): void {
  box.focus();
  const whole = box.value.slice(0, from) + text + box.value.slice(to);
  if (text.length > undoable || !insert(box, from, to, text) || box.value !== whole) {
    box.value = whole;
    onInput(whole);
  }
  box.setSelectionRange(from + text.length, from + text.length);
}

/** Types the text as a user would; false where the system has no way for that. */
function insert(box: HTMLTextAreaElement, from: number, to: number, text: string): boolean {
  if (typeof document.execCommand !== "function") return false;
  box.setSelectionRange(from, to);
  // There is no other way that keeps the box's own undo.
  return text === "" ? from === to || document.execCommand("delete") : document.execCommand("insertText", false, text);
}

/** Whether the browser itself lets a box grow with its text. */
const grows = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");
/** A text of this length fills the largest box anyway. */
const fills = 20_000;

/** Lets the box be as high as its text; the largest height is in the stylesheet. */
export function fit(box: HTMLTextAreaElement): void {
  if (grows) return;
  // To measure a long text at every letter would make typing slow.
  if (box.value.length > fills) {
    box.style.height = "100vh";
    return;
  }
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
