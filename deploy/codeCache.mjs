/**
 * Runs a bundled program with V8's code cache of the last run: compiling takes a third of an API server's start (docs/decisions/0011). The file lies beside
 * the bundle, and its name tells code, Node and flags; a program starts without one that cannot be written, is damaged, or does not fit. Plain JavaScript: part of the
 * build.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';

/** By then a program has done what it does at a start, on a busy machine too, and V8 knows the functions that this takes. */
const settledMs = 5_000;
const checksumBytes = 4;
/** Behind the checksum: what a process wrote that ended before it had settled is replaced by one that settles. */
const early = 0;
const settled = 1;
/** In these first bytes V8 says which of its flags were set. */
const headBytes = 32;
const inheritedKey = 'raftplane.codeFlags';

/**
 * Runs `NAME.cjs`, which lies beside `url`, and imports modules by `$late$(name)`. `fingerprint` is that of its text. Returns whether the cache was used.
 * V8 refuses what was made under other flags; those that a program sets while it runs (`server/process/heapGrowth.ts`) change no code, so what counts are the flags
 * with which the process began.
 */
export function runProgram(url, name, fingerprint) {
  const file = fileURLToPath(new URL(`${name}.cjs`, url));
  const flagsNow = flags();
  const flagsAtStart = Buffer.from(getEnvironmentData(inheritedKey) ?? flagsNow);
  setEnvironmentData(inheritedKey, Uint8Array.from(flagsAtStart));
  // Files of their own, so that programs that start under different flags do not replace each other's for ever.
  const key = [name, fingerprint, process.version, process.arch, crc32(flagsAtStart).toString(16)].join('-');
  const cacheFile = fileURLToPath(new URL(`${key}.cache`, url));
  const { cachedData, state } = readCache(cacheFile);
  if (cachedData !== undefined) change(cachedData, flagsAtStart, flagsNow);
  // Bundles are ASCII. On the first line, so that lines and columns of stack traces are those of the file.
  const text = `(function (require, module, exports, __filename, __dirname, $late$) {${fs.readFileSync(file, 'latin1').replace(/^#!.*/, '')}\n})`;
  const script = new Script(text, { filename: file, cachedData });
  const fromCache = cachedData !== undefined && script.cachedDataRejected !== true;
  if (!fromCache || state === early) keepWhenSettled((now) => writeCache(script, cacheFile, { flagsAtStart, state: now }), fromCache);
  const module = { exports: {} };
  const late = (name) => import(new URL(name, url).href);
  script.runInThisContext()(createRequire(file), module, module.exports, file, path.dirname(file), late);
  return fromCache;
}

/** What V8 says of its flags in front of anything that it has compiled. */
const flags = () => Buffer.from(new Script('0').createCachedData().subarray(0, headBytes));

function change(data, from, to) {
  for (let at = 0; at < headBytes; at++) if (from[at] !== to[at]) data[at] = to[at];
}

/** `cachedData` is undefined where there is none, or not all of it. */
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
 * Once, a while after the start, or, where there is none yet, at the end of a process that ends before. Threads end at once: whoever ends one does not wait for
 * long.
 */
function keepWhenSettled(write, hasSome) {
  const keep = (state) => {
    clearTimeout(timer);
    process.off('exit', keepEarly);
    try {
      write(state);
    } catch {
      // A folder that is not this user's, or a full disk: the next start takes longer, and that is all.
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
