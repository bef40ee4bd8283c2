#!/usr/bin/env node
/**
 * Stands where envtest looks for `kube-apiserver`: turns its arguments into those of this API server and becomes it, in the same process, so that signals,
 * exit codes and output are the server's own.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { programFile } from '../programs.js';
import { makeTemporaryFolder } from '../testing/folder.js';
import { serverArguments, unwrap, valueOf } from './arguments.js';
import { startControllers, withManagerToken, type ManagerAccess } from './controllers.js';

const { wrapping, given } = unwrap(process.argv.slice(2));

/** The folder of certificates is envtest's own: it removes it when the server has ended, however it ended. */
const folderOf = (name: string): string => path.join(valueOf(given, 'cert-dir') ?? makeTemporaryFolder(), name);

/** `--version` and `--help` start nothing. */
const isQuestion = given.some((arg) => /^(-h|--help|--version(=.*)?)$/.test(arg));

const access: ManagerAccess | null = wrapping.controllers && !isQuestion ? withManagerToken(given, folderOf('controllers')) : null;
const args = serverArguments(access?.serverArguments ?? given, wrapping.store, () => folderOf('data'));
const server = programFile('apiserver');
process.argv = [process.execPath, server, ...args];
await import(pathToFileURL(server).href);
if (access !== null) void startControllers(access);
