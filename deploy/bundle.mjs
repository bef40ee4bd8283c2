/**
 * Puts each program into a few files, in `dist/programs/`: most of the time in which a program of a thousand modules starts is spent on finding and loading
 * them one by one (docs/decisions/0011). It reads the sources, so whoever only wants to start something need not wait for the compiler. Plain JavaScript,
 * because it is a part of the build.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Entry points of threads. Whoever starts one looks beside itself for a file of this name. */
const threads = ['raft/thread.js', 'workers/task.js', 'server/openapi/builderThread.js', 'server/threads/servingThread.js'];

/** Native code, what finds files of its own beside itself, and what others can do without and is not installed. */
const external = ['better-sqlite3', 'piscina', 'bufferutil', 'utf-8-validate'];

/** Bundles the sources below `root` into `dist`, in place of what was bundled before. */
export async function bundle(root, dist) {
  const { build } = await import('esbuild');
  const entries = [...Object.entries(await programsOf(build, root, dist)), ...threads.map((file) => [path.basename(file, '.js'), file])];
  const outdir = path.join(dist, 'programs');
  fs.rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: Object.fromEntries(entries.map(([name, file]) => [name, path.join(root, file.replace(/\.js$/, '.ts'))])),
    outdir,
    external,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Flat: what stands beside an entry point stands beside all parts.
    chunkNames: 'part-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
    // CommonJS packages get parts of Node by `require`, which modules do not have.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  });
  for (const [name] of entries) fs.chmodSync(path.join(outdir, `${name}.js`), 0o755);
  const page = await bundleConsole(build, root, path.join(outdir, 'console'));
  fs.writeFileSync(path.join(outdir, 'LICENSES.txt'), licences(root, [...Object.keys(metafile.inputs), ...page]));
}

/**
 * The page that API servers show to people: files whose names say what is in them, each beside its compressed form, and the document that names them.
 * Returns what went into it.
 */
async function bundleConsole(build, root, outdir) {
  const { metafile } = await build({
    entryPoints: [path.join(root, 'console', 'main.tsx'), path.join(root, 'console', 'style.css')],
    outdir,
    entryNames: '[name]-[hash]',
    // What is imported when it is needed is a file of its own.
    chunkNames: '[name]-[hash]',
    splitting: true,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
  });
  const named = (entry) => {
    const source = `console/${entry}`;
    return path.basename(Object.keys(metafile.outputs).find((file) => metafile.outputs[file].entryPoint === source));
  };
  const document = fs
    .readFileSync(path.join(root, 'console', 'index.html'), 'utf8')
    .replace('main.js', named('main.tsx'))
    .replace('style.css', named('style.css'));
  fs.writeFileSync(path.join(outdir, 'index.html'), document);
  fs.copyFileSync(path.join(root, 'console', 'icon.svg'), path.join(outdir, 'icon.svg'));
  for (const file of fs.readdirSync(outdir)) {
    const at = path.join(outdir, file);
    fs.writeFileSync(`${at}.gz`, gzipSync(fs.readFileSync(at), { level: 9 }));
  }
  return Object.keys(metafile.inputs);
}

/** The table in `deploy/programs.ts`. */
async function programsOf(build, root, dist) {
  const outfile = path.join(dist, 'programs-table.mjs');
  await build({
    entryPoints: [path.join(root, 'deploy', 'programs.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  try {
    return (await import(`${pathToFileURL(outfile).href}?${fs.statSync(outfile).mtimeMs}`)).programs;
  } finally {
    fs.rmSync(outfile);
  }
}

/** The terms of every package whose code is in the bundle: they want to be told wherever it goes. */
function licences(root, inputs) {
  const folders = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
      const file = fs.readdirSync(path.join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file ? fs.readFileSync(path.join(root, folder, file), 'utf8').trim() : '';
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
