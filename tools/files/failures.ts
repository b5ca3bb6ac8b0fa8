/** Errors of the file system as failures for the model, without the root and our internal paths. */
import type { FailureCode } from '../../runtime/failure.ts'
import { ToolFailed } from '../tool.ts'

const failuresByErrno: Readonly<Record<string, readonly [code: FailureCode, text: string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_a_folder', 'is not a folder (symbolic links are not followed)'],
  ELOOP: ['refused_path', 'is a symbolic link, and those are not followed'],
  EISDIR: ['not_a_file', 'is a folder'],
  EEXIST: ['exists', 'exists already'],
  EACCES: ['denied', 'may not be opened by the service'],
  EPERM: ['denied', 'may not be opened by the service'],
  EROFS: ['denied', 'is on a file system that cannot be written to'],
  ETXTBSY: ['denied', 'is a program that is running'],
  ENXIO: ['not_a_file', 'is not a regular file'],
  ENODEV: ['not_a_file', 'is not a regular file'],
  ENAMETOOLONG: ['refused_path', 'has too long a name'],
  ENOSPC: ['no_space', 'cannot be written: no space is left on the disk'],
  EDQUOT: ['no_space', 'cannot be written: no space is left on the disk'],
  EIO: ['unreadable', 'cannot be read from the disk'],
  ESTALE: ['not_found', 'was removed meanwhile'],
}

/** @returns ToolFailed where the model can act on it, else the error itself: a defect, or a fault of the machine */
export function fileFailure(error: unknown, path: string): unknown {
  const errno = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  const meaning = errno === undefined ? undefined : failuresByErrno[errno]
  if (!meaning) return error
  // No cause: its message contains the path of a handle, which means nothing to anybody.
  return new ToolFailed(meaning[0], `${quotedPath(path)} ${meaning[1]}.`)
}

/** A path for a sentence, quoted, with special characters escaped. */
export function quotedPath(path: string): string {
  return path === '' ? 'The folder itself' : JSON.stringify(path)
}
