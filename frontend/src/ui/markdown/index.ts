;
export { CopyButton } from "./CopyButton";
export { LongText } from "./LongText";
export { Markdown } from "./Markdown";
export { writeClipboard } from "./CopyButton";
