import { unreadableFiles } from '../program/flags/unreadable.js';
import { unknownControllers } from './catalogue.js';
import { uselessFiles } from './options/files.js';
import { controllerManagerFlags, type ControllerManagerOptions } from './options/flags.js';
import { readControllerManagerOptions, type OptionsResult } from './options/read.js';

/** Reads a command line with existing controllers only. `clouds`: further names for `--cloud-provider`. */
export function readUsable(argv: readonly string[], clouds: readonly string[] = []): OptionsResult {
  const read = readControllerManagerOptions(argv, clouds);
  if (!read.ok) return read;
  const errors = unknownControllers(read.options.controllers).map(
    (word) => `--controllers names ${JSON.stringify(word)}, which is no controller`,
  );
  return errors.length > 0 ? { ok: false, errors } : read;
}

/** Returns an error for each unreadable file or, if there is none, for each unusable one. */
export function fileErrors(options: ControllerManagerOptions): readonly string[] {
  const unreadable = unreadableFiles(controllerManagerFlags, options);
  return unreadable.length > 0 ? unreadable : uselessFiles(options);
}
