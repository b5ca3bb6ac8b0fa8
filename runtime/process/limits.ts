/** How much a sandboxed process may use, in any sandbox. */

const kib = 1_024
const mib = 1_024 * kib

export interface ProcessLimits {
  cpuSeconds: number
  /** Address space of one process; interpreters reserve far more than they use. */
  addressBytes: number
  /** Of all processes of a run together, checked every `memoryCheckMs`. */
  residentBytes: number
  memoryCheckMs: number
  processesMax: number
  openFilesMax: number
  fileBytes: number
  /** Of /tmp, where it is in memory. */
  temporaryBytes: number
  sharedMemoryBytes: number
  /** How much of stdout, and of stderr, is returned. */
  outputBytes: number
  /** A process that writes more than this in total is ended. */
  outputBytesTotal: number
  /** How long ending a run and cleaning up after it may take. */
  endMs: number
}

export const defaultLimits: ProcessLimits = {
  cpuSeconds: 20,
  addressBytes: 1_024 * mib,
  residentBytes: 512 * mib,
  memoryCheckMs: 100,
  processesMax: 32,
  openFilesMax: 128,
  fileBytes: 16 * mib,
  temporaryBytes: 64 * mib,
  sharedMemoryBytes: 16 * mib,
  outputBytes: 64 * kib,
  outputBytesTotal: 64 * mib,
  endMs: 5_000,
}

/** @param processesMax in total for the user: the kernel counts by user, not by run */
export function prlimitArguments(limits: ProcessLimits, processesMax: number): string[] {
  const values: Readonly<Record<string, number>> = {
    cpu: limits.cpuSeconds,
    as: limits.addressBytes,
    nproc: processesMax,
    fsize: limits.fileBytes,
    nofile: limits.openFilesMax,
    core: 0,
  }
  return Object.entries(values).map(([name, value]) => `--${name}=${value}:${value}`)
}
