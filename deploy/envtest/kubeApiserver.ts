#!/usr/bin/env node
/**
 * Replaces envtest's `kube-apiserver`: translates its arguments and becomes this API server in the same process, with the server's own signals, exit codes and
 * output.
 */
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { programFile } from '../programs.js';
import { makeTemporaryFolder } from '../testing/folder.js';
import { serverArguments, unwrap } from './arguments.js';
import { startControllers, withManagerToken, type ManagerAccess } from './controllers.js';

const { wrapping, given } = unwrap(process.argv.slice(2));

/** The folder is removed when this process ends; that of a killed process is removed at the next start. */
function temporaryFolder(): string {
  const folder = makeTemporaryFolder();
  process.once('exit', () => {
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

const isQuestion = given.some((arg) => /^(-h|--help|--version(=.*)?)$/.test(arg));

const access: ManagerAccess | null = wrapping.controllers && !isQuestion ? withManagerToken(given, temporaryFolder()) : null;
const args = serverArguments(access?.serverArguments ?? given, wrapping.store, temporaryFolder);
const server = programFile('apiserver');
process.argv = [process.execPath, server, ...args];
await import(pathToFileURL(server).href);
if (access !== null) void startControllers(access);
