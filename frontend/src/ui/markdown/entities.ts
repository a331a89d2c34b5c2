// Entities in prose ("R&amp;D", "isn&#39;t"), which models often write. They are decoded after parsing the Markdown, so
// that none of them becomes markup.

const ENTITY = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;
const most = 400;
const known = new Map<string, string>();
let reader: HTMLTextAreaElement | undefined;

function decode(entity: string): string {
  let text = known.get(entity);
  if (text === undefined) {
    // In this element the browser decodes entities, and nothing else.
    reader ??= document.createElement("textarea");
    reader.innerHTML = entity;
    text = reader.value;
    if (known.size >= most) known.clear();
    known.set(entity, text);
  }
  return text;
}

/** Decodes the entities in a text; anything else stays. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replaceAll(ENTITY, decode) : text;
}
