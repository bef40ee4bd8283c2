/**
 * Makes the types of the package: what its entry points export, without the declarations that only its inside uses. Plain JavaScript, because it is a part of
 * the build.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Removes what neither an entry point of `exports` nor a type of a kind reaches. */
export function pruneTypes(root) {
  const types = path.join(root, 'dist', 'types');
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const files = fs.readdirSync(types, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const all = files.map((entry) => path.join(entry.parentPath, entry.name));
  const reached = new Set(all.filter((file) => file.startsWith(path.join(types, 'api', 'types'))));
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const imported of importsOf(file)) reach(imported);
  };
  for (const { types: entry } of Object.values(exports)) if (entry && !entry.includes('*')) reach(path.join(root, entry));
  for (const file of [...reached]) for (const imported of importsOf(file)) reach(imported);
  for (const file of all) if (!reached.has(file)) fs.rmSync(file);
  // Modules and CommonJS may import declarations of CommonJS by name; CommonJS may not import those of modules.
  fs.writeFileSync(path.join(types, 'package.json'), '{ "type": "commonjs" }\n');
}

/** `from './x.js'`, `import './x.js'` and `import('./x.js')` are the forms in which declarations name others. */
function importsOf(file) {
  const named = fs.readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g);
  return [...named].map(([, name]) => path.join(path.dirname(file), `${name}.d.ts`));
}
