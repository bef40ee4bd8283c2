/**
 * Puts each program into a few files, in `dist/programs/`: most of the time in which a program of a thousand modules starts is spent on finding and loading
 * them one by one (docs/decisions/0011). Plain JavaScript, because it is a part of the build.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Entry points of threads. Whoever starts one looks beside itself for a file of this name. */
const threads = ['raft/thread.js', 'workers/task.js', 'server/openapi/builderThread.js'];

/** Native code, what finds files of its own beside itself, and what others can do without and is not installed. */
const external = ['better-sqlite3', 'piscina', 'bufferutil', 'utf-8-validate'];

/** Bundles what was compiled into `dist`, in place of what was bundled before. */
export async function bundle(dist) {
  const { build } = await import('esbuild');
  const { programs } = await import(pathToFileURL(path.join(dist, 'deploy', 'programs.js')).href);
  const entries = [...Object.entries(programs), ...threads.map(file => [path.basename(file, '.js'), file])];
  const outdir = path.join(dist, 'programs');
  fs.rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: Object.fromEntries(entries.map(([name, file]) => [name, path.join(dist, file)])),
    outdir, external,
    bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'node20',
    // Flat: what stands beside an entry point stands beside all parts.
    chunkNames: 'part-[hash]',
    sourcemap: 'linked', sourcesContent: false, logLevel: 'warning',
    // CommonJS packages get parts of Node by `require`, which modules do not have.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  });
}
