// Entities in prose ("R&amp;D", "isn&#39;t"), which models write out of habit. They become the
// characters that they stand for after the Markdown was read, so that none of them is markup.

const ENTITY = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;
const most = 400;
const known = new Map<string, string>();
let reader: HTMLTextAreaElement | undefined;

function decode(entity: string): string {
  let text = known.get(entity);
  if (text === undefined) {
    // In this element the browser reads entities, and nothing else.
    reader ??= document.createElement("textarea");
    reader.innerHTML = entity;
    text = reader.value;
    if (known.size >= most) known.clear();
    known.set(entity, text);
  }
  return text;
}

/** Text with the characters in the place of entities; what is none stays. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replaceAll(ENTITY, decode) : text;
}
