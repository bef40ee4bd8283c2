import fs from 'node:fs';
import { seedEntries } from './making.js';

/** Writes api/seed/objects.json; to be run from the root of the repository. One object a line, so that changes can be read. */
const lines = (await seedEntries()).map((entry) => JSON.stringify(entry));
fs.mkdirSync('api/seed', { recursive: true });
fs.writeFileSync('api/seed/objects.json', `[\n${lines.join(',\n')}\n]\n`);
