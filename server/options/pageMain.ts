import fs from 'node:fs';
import { apiServerFlags } from './flags.js';
import { optionsPage } from './page.js';

/** Writes docs/options.md; run it in the repository root. */
fs.writeFileSync('docs/options.md', optionsPage(apiServerFlags));
