import { watch } from "node:fs";
import { join } from "node:path";

/** How long an editor may take to save what belongs together, in milliseconds. */
const PAUSE = 50;

/** Calls a function with the paths of the files that were saved in some folders. */
export function onSave(folders, run) {
  const saved = new Set();
  let timer;
  for (const folder of folders) {
    watch(folder, { recursive: true }, (_event, name) => {
      saved.add(join(folder, name));
      clearTimeout(timer);
      timer = setTimeout(() => {
        const sources = [...saved];
        saved.clear();
        run(sources);
      }, PAUSE);
    });
  }
}
