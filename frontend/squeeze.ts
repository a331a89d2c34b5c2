// Packs what the build made in the ways that browsers can unpack, so that the gateway does not
// have to while a user waits. Over plain HTTP browsers ask for gzip only. The files themselves
// go: they would be most of the program, which unpacks them for whoever reads nothing packed.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Smaller files are not worth it. */
const least = 1024;

export const squeeze: Plugin = {
  name: "squeeze",
  apply: "build",
  writeBundle: {
    order: "post",
    sequential: true,
    async handler({ dir = "" }) {
      const files = (await readdir(dir, { recursive: true })).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(files.map((name) => one(join(dir, name))));
    },
  },
};

async function one(file: string): Promise<void> {
  const data = await readFile(file);
  if (data.length < least) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: data.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(data, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(data, { level: 9 }));
  await rm(file);
}
