/**
 * Bundles each program into a few files in `dist/programs/`: a program of a thousand modules spends most of its start on finding and loading them
 * (docs/decisions/0011). It reads the sources, so a start need not wait for the compiler. Plain JavaScript, because it is a part of the build.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Entry points of threads, which are started by file name from the same folder. */
const threads = ['raft/thread.js', 'workers/task.js', 'server/openapi/builderThread.js', 'server/threads/servingThread.js'];

/**
 * Large programs that start often: one file each, run by `codeCache.mjs`. Modules that they load on demand are separate entries: inside a program, such a
 * module would delay all its imports.
 */
const cached = { apiserver: 'server/main.js', 'controller-manager': 'controllers/main.js', thread: 'raft/thread.js' };
const late = {
  migration: 'server/migration/program.js',
  operations: 'server/operations/program.js',
  etcdStore: 'server/store/etcd.js',
  grpcClient: 'program/grpc/client.js',
  authority: 'controllers/certificates/authority.js',
  request: 'controllers/certificates/request.js',
};

/** Libraries for tests and operators, also from CommonJS (jest): one file each, and a module that exports the same. */
const libraries = { testing: 'deploy/testing/index.js', client: 'controllers/client/index.js', api: 'server/manifests/index.js' };

/** SQLite's native code for Node 20 (raft/sqlite/nodeSqlite.ts). */
const sqlite = '@photostructure/sqlite';
const sqlitePlatforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Native code, packages that find their own files by their location, and optional packages that are not installed. */
const external = ['better-sqlite3', 'piscina', 'bufferutil', 'utf-8-validate'];

/** Bundles the sources below `root` into `dist`, replacing earlier bundles. */
export async function bundle(root, dist) {
  const outdir = path.join(dist, `programs.${process.pid}`);
  try {
    await bundleInto(root, dist, outdir);
    replaceFolder(path.join(dist, 'programs'), outdir);
  } finally {
    fs.rmSync(outdir, { recursive: true, force: true });
  }
}

/** Replaces a folder by another one atomically: running programs load modules and start threads from it at any time. */
export function replaceFolder(place, by) {
  const before = `${by}.before`;
  if (fs.existsSync(place)) fs.renameSync(place, before);
  fs.renameSync(by, place);
  fs.rmSync(before, { recursive: true, force: true });
}

async function bundleInto(root, dist, outdir) {
  const { build } = await import('esbuild');
  const programs = [...Object.entries(await programsOf(build, root, dist)), ...threads.map((file) => [path.basename(file, '.js'), file])];
  const entries = [...programs.filter(([name]) => !(name in cached) && !(name in libraries)), ...Object.entries(late)];
  const sourcesOf = (named) => Object.fromEntries(named.map(([name, file]) => [name, path.join(root, file.replace(/\.js$/, '.ts'))]));
  const whole = await bundleWhole(build, root, outdir, sourcesOf(Object.entries(cached)));
  const imported = await bundleLibraries(build, root, outdir, sourcesOf(Object.entries(libraries)));
  const { metafile } = await build({
    ...common(root),
    entryPoints: sourcesOf(entries),
    outdir,
    splitting: true,
    format: 'esm',
    plugins: [routerOfExpress],
    // All parts are in one folder, with the files of entry points.
    chunkNames: 'part-[hash]',
    // CommonJS packages load parts of Node by `require`, which modules lack.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  });
  for (const [name] of programs) fs.chmodSync(path.join(outdir, `${name}.js`), 0o755);
  const page = await bundleConsole(build, root, path.join(outdir, 'console'));
  const native = copySqlite(root, path.join(outdir, 'sqlite'));
  fs.writeFileSync(
    path.join(outdir, 'LICENSES.txt'),
    licences(root, [...Object.keys(metafile.inputs), ...whole, ...imported, ...page, ...native]),
  );
}

/** Returns the copied files: none where the package cannot be installed. */
function copySqlite(root, outdir) {
  const within = path.join('node_modules', sqlite, 'prebuilds');
  if (!fs.existsSync(path.join(root, within))) return [];
  return sqlitePlatforms.flatMap((platform) => {
    fs.mkdirSync(path.join(outdir, platform), { recursive: true });
    return fs.readdirSync(path.join(root, within, platform)).map((name) => {
      const [, library] = /\.(\w+)\.node$/.exec(name);
      const file = path.join(within, platform, name);
      fs.copyFileSync(path.join(root, file), path.join(outdir, platform, `${library}.node`));
      return file;
    });
  });
}

const common = (root) => ({
  external,
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
  absWorkingDir: root,
});

const urlOfFile = {
  define: { 'import.meta.url': '__url' },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
};

/** Bundles libraries as CommonJS, each with a module that exports the same, so that both kinds of imports see one class. */
async function bundleLibraries(build, root, outdir, entryPoints) {
  const { metafile } = await build({ ...common(root), ...urlOfFile, entryPoints, outdir, outExtension: { '.js': '.cjs' }, format: 'cjs' });
  for (const name of Object.keys(entryPoints)) fs.writeFileSync(path.join(outdir, `${name}.js`), `export * from './${name}.cjs';\n`);
  return Object.keys(metafile.inputs);
}

/** Bundles programs into one file each, with a module of the program's usual name. Returns the bundled inputs. */
async function bundleWhole(build, root, outdir, entryPoints) {
  const { metafile } = await build({
    ...common(root),
    entryPoints,
    outdir,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // V8 keeps a program's text in memory: two fifths of it are indentation and comments. Lines stay short enough for useful stack traces.
    minifyWhitespace: true,
    lineLimit: 120,
    ...urlOfFile,
    plugins: [routerOfExpress, { name: 'late', setup: leaveLate(root) }],
  });
  fs.copyFileSync(path.join(root, 'deploy', 'codeCache.mjs'), path.join(outdir, 'codeCache.js'));
  for (const name of Object.keys(entryPoints)) {
    const file = path.join(outdir, `${name}.cjs`);
    // Cached code cannot use `import`: a function whose name is as long replaces it, so that columns stay.
    const written = fs.readFileSync(file, 'latin1');
    if (written.includes('$late$')) throw new Error(`${name} has the name $late$ already`);
    const code = written.replace(/\bimport\((?="\.\/\w+\.js"\))/g, () => '$late$(');
    fs.writeFileSync(file, code, 'latin1');
    const fingerprint = createHash('sha256').update(code).digest('hex').slice(0, 16);
    const text = `#!/usr/bin/env node\nimport { runProgram } from './codeCache.js';\nrunProgram(import.meta.url, '${name}', '${fingerprint}');\n`;
    fs.writeFileSync(path.join(outdir, `${name}.js`), text);
  }
  return Object.keys(metafile.inputs);
}

/** Only the router of express is used, a package of its own; the rest takes 20 ms to load. */
const routerOfExpress = {
  name: 'router of express',
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/]express[\\/]index\.js$/ }, () => ({ contents: "exports.Router = require('router');" }));
  },
};

/** Dynamic imports stay imports, of the entry of the same module. Any other is a mistake in `late`. */
const leaveLate = (root) => (build) => {
  build.onResolve({ filter: /./ }, ({ kind, path: wanted, resolveDir, importer }) => {
    if (kind !== 'dynamic-import') return undefined;
    const file = path.relative(root, path.join(resolveDir, wanted)).replaceAll('\\', '/');
    const name = Object.keys(late).find((each) => late[each] === file);
    if (name === undefined) return { errors: [{ text: `${file} is imported late by ${importer}: name it in bundle.mjs` }] };
    return { path: `./${name}.js`, external: true };
  });
};

/**
 * Bundles the console page of API servers: files named after their contents, their compressed forms, and the document that names them. Returns the bundled
 * inputs.
 */
async function bundleConsole(build, root, outdir) {
  const { metafile } = await build({
    entryPoints: [path.join(root, 'console', 'main.tsx'), path.join(root, 'console', 'style.css')],
    outdir,
    entryNames: '[name]-[hash]',
    // Modules imported on demand are separate files.
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
export async function programsOf(build, root, dist) {
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

/** Returns the licences of all bundled packages, which require that their texts go along with the code. */
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
