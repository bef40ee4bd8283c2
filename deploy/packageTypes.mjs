/**
 * Makes the declaration files of the package: one per entry point, one for shared types, and those of kinds. Plain JavaScript, because it is a part of the
 * build.
 */
import fs from 'node:fs';
import path from 'node:path';
import { programsOf } from './bundle.mjs';

/**
 * Bundles the declarations that each entry point reaches into the file named in `exports`, and removes all others. `declared` is the compiler's folder of
 * declarations.
 */
export async function bundleTypes(root, declared) {
  const types = path.join(root, 'dist', 'types');
  const entries = { ...(await entriesOf(root, declared)), ...kindsOf(declared) };
  const shared = sharedBy(Object.values(entries));
  // Loaded here, since nothing is installed at a clone's first start.
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  const built = await rollup({
    input: entries,
    external: (name) => !/^[./]/.test(name),
    plugins: [dts({ compilerOptions: { types: [] } })],
    onwarn: (warning) => {
      throw new Error(`types of the package: ${warning.message}`);
    },
  });
  fs.rmSync(types, { recursive: true, force: true });
  await built.write({
    dir: types,
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].d.ts',
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    manualChunks: (file) => (shared.has(file) ? 'shared' : undefined),
  });
  await built.close();
  // Modules and CommonJS may import declarations of CommonJS by name; CommonJS may not import those of modules.
  fs.writeFileSync(path.join(types, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Returns each entry point's name, and its module's declaration. */
async function entriesOf(root, declared) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { build } = await import('esbuild');
  const modules = await programsOf(build, root, path.join(root, 'dist'));
  const names = Object.values(exports).flatMap(({ types }) => (types && !types.includes('*') ? [path.basename(types, '.d.ts')] : []));
  return Object.fromEntries(names.map((name) => [name, path.join(declared, modules[name].replace(/\.js$/, '.d.ts'))]));
}

/** The declarations of each group version stay separate files: entry points import them as users do. */
function kindsOf(declared) {
  const folder = path.join('api', 'types');
  const files = fs.readdirSync(path.join(declared, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
  return Object.fromEntries(files.map((file) => [path.join(folder, file.slice(0, -'.d.ts'.length)), path.join(declared, folder, file)]));
}

/** Returns modules that several entry points reach, without the entry points: the compiler would treat a class that is declared twice as two classes. */
function sharedBy(entries) {
  const times = new Map();
  for (const entry of entries) for (const file of reachedFrom(entry, entries)) times.set(file, (times.get(file) ?? 0) + 1);
  return new Set([...times].filter(([file, count]) => count > 1 && !entries.includes(file)).map(([file]) => file));
}

function reachedFrom(entry, entries) {
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file) || (file !== entry && entries.includes(file))) return;
    reached.add(file);
    for (const imported of importsOf(file)) reach(imported);
  };
  reach(entry);
  return reached;
}

/** Declarations import others by `from './x.js'`, `import './x.js'` and `import('./x.js')`. */
function importsOf(file) {
  const named = fs.readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g);
  return [...named].map(([, name]) => path.join(path.dirname(file), `${name}.d.ts`));
}
