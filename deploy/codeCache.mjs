/**
 * Runs a bundled program with V8's code cache of the last run: compiling takes a third of an API server's start (docs/decisions/0011). The cache file is in
 * the folder of the bundle, and is named after code, Node version and flags. The program starts without a cache that is damaged, unsuitable or cannot be
 * written. Plain JavaScript: part of the build.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';

/** The time after which a program has finished its start, also on a busy machine, and V8 has compiled the functions used. */
const settledMs = 5_000;
const checksumBytes = 4;
/** Marker after the checksum: the cache of a process that ended early is replaced by that of a settled one. */
const early = 0;
const settled = 1;
/** Length of V8's header, which contains its flags. */
const headBytes = 32;
const inheritedKey = 'raftplane.codeFlags';

/**
 * Runs `NAME.cjs` from the folder of `url`; the program imports modules by `$late$(name)`. `fingerprint` is that of its text. Returns whether the cache was
 * used. V8 refuses a cache made under other flags. Flags set at run time (`server/process/heapGrowth.ts`) change no code, so the flags at the start count.
 */
export function runProgram(url, name, fingerprint) {
  const file = fileURLToPath(new URL(`${name}.cjs`, url));
  const flagsNow = flags();
  const flagsAtStart = Buffer.from(getEnvironmentData(inheritedKey) ?? flagsNow);
  setEnvironmentData(inheritedKey, Uint8Array.from(flagsAtStart));
  // Separate files, so that programs under different flags do not keep replacing each other's cache.
  const key = [name, fingerprint, process.version, process.arch, crc32(flagsAtStart).toString(16)].join('-');
  const cacheFile = fileURLToPath(new URL(`${key}.cache`, url));
  const { cachedData, state } = readCache(cacheFile);
  if (cachedData !== undefined) change(cachedData, flagsAtStart, flagsNow);
  // Bundles are ASCII. The wrapper stays on the first line, so that stack traces have the lines and columns of the file.
  const text = `(function (require, module, exports, __filename, __dirname, $late$) {${fs.readFileSync(file, 'latin1').replace(/^#!.*/, '')}\n})`;
  const script = new Script(text, { filename: file, cachedData });
  const fromCache = cachedData !== undefined && script.cachedDataRejected !== true;
  if (!fromCache || state === early) keepWhenSettled((now) => writeCache(script, cacheFile, { flagsAtStart, state: now }), fromCache);
  const module = { exports: {} };
  const late = (name) => import(new URL(name, url).href);
  script.runInThisContext()(createRequire(file), module, module.exports, file, path.dirname(file), late);
  return fromCache;
}

/** Returns V8's header of compiled code, which depends on its flags. */
const flags = () => Buffer.from(new Script('0').createCachedData().subarray(0, headBytes));

function change(data, from, to) {
  for (let at = 0; at < headBytes; at++) if (from[at] !== to[at]) data[at] = to[at];
}

/** `cachedData` is undefined when the cache is missing or incomplete. */
function readCache(file) {
  try {
    const bytes = fs.readFileSync(file);
    const data = bytes.subarray(0, -checksumBytes - 1);
    const whole = bytes.length > headBytes && crc32(data) === bytes.readUInt32LE(data.length);
    return whole ? { cachedData: data, state: bytes.at(-1) } : {};
  } catch {
    return {};
  }
}

/**
 * Writes once, a while after the start; without a cache, also when the process ends earlier. Ending threads do not write: a caller that ends one does not wait
 * for long.
 */
function keepWhenSettled(write, hasSome) {
  const keep = (state) => {
    clearTimeout(timer);
    process.off('exit', keepEarly);
    try {
      write(state);
    } catch {
      // The folder belongs to another user, or the disk is full: only the next start takes longer.
    }
  };
  const keepEarly = () => keep(early);
  const timer = setTimeout(keep, settledMs, settled).unref();
  if (isMainThread && !hasSome) process.once('exit', keepEarly);
}

function writeCache(script, file, { flagsAtStart, state }) {
  const data = script.createCachedData();
  change(data, flags(), flagsAtStart);
  const end = Buffer.alloc(checksumBytes + 1);
  end.writeUInt32LE(crc32(data));
  end[checksumBytes] = state;
  const temporary = `${file}.${process.pid}-${threadId}`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([data, end]), { mode: 0o644 });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
