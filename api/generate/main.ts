import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generate, generatedFolders } from './generate.js';
import { readFacts } from './read.js';

/** Regenerates files from `api/facts` and prints which ones changed. */
function main(api: string): void {
  const wanted = generate(readFacts(join(api, 'facts')));
  const present = generatedFolders.flatMap((folder) => filesBelow(api, folder));
  for (const path of present.filter((each) => !wanted.has(each))) {
    rmSync(join(api, path));
    say(`removed api/${path}`);
  }
  for (const [path, text] of wanted) {
    if (present.includes(path) && readFileSync(join(api, path), 'utf8') === text) continue;
    mkdirSync(dirname(join(api, path)), { recursive: true });
    writeFileSync(join(api, path), text);
    say(`wrote api/${path}`);
  }
}

function filesBelow(api: string, folder: string): string[] {
  mkdirSync(join(api, folder), { recursive: true });
  return readdirSync(join(api, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(json|ts)$/.test(file))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  main(process.argv[2] ?? 'api');
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
