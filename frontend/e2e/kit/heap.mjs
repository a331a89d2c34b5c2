// A page's memory usage.

/**
 * Returns a page's live heap in bytes: objects, strings and elements, after garbage collection. Compiled code is
 * excluded, because its amount depends on how busy the browser was.
 */
export async function keptBytes(page) {
  const cdp = await page.context().newCDPSession(page);
  const parts = [];
  cdp.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => parts.push(chunk));
  await cdp.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await cdp.detach();
  const { snapshot, nodes } = JSON.parse(parts.join(""));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf("type"), fields.indexOf("self_size")];
  const code = types[type].indexOf("code");
  let bytes = 0;
  for (let i = 0; i < nodes.length; i += fields.length) if (nodes[i + type] !== code) bytes += nodes[i + size];
  return bytes;
}
