import fs from 'node:fs';
import { seedEntries } from './making.js';

/** Writes api/seed/objects.json; run in the repository root. Writes one object per line, for readable changes. */
const lines = (await seedEntries()).map((entry) => JSON.stringify(entry));
fs.mkdirSync('api/seed', { recursive: true });
fs.writeFileSync('api/seed/objects.json', `[\n${lines.join(',\n')}\n]\n`);
