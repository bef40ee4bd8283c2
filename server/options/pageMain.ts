import fs from 'node:fs';
import { apiServerFlags } from './flags.js';
import { optionsPage } from './page.js';

/** Writes docs/options.md; to be run from the root of the repository. */
fs.writeFileSync('docs/options.md', optionsPage(apiServerFlags));
