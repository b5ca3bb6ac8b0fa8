/** How much a program may take, in whatever sandbox it runs. */
const kib = 1_024
const mib = 1_024 * kib

export const limits = {
  runMs: 20_000,
  cpuSeconds: 20,
  /** Of one process; interpreters reserve far more than they use. */
  addressBytes: 1_024 * mib,
  /** Of all processes of a run together, looked at every `watchMs`. */
  residentBytes: 512 * mib,
  watchMs: 100,
  processes: 32,
  openFiles: 128,
  fileBytes: 16 * mib,
  temporaryBytes: 64 * mib,
  sharedMemoryBytes: 16 * mib,
  /** Kept of stdout and of stderr. */
  outputBytes: 64 * kib,
  /** Past this a program that only floods is ended. */
  outputBytesTotal: 64 * mib,
  /** How long ending a run and clearing up after it may take. */
  endMs: 5_000,
} as const

/** @param processes of the user in all: the kernel counts by user, not by run */
export function prlimitArguments(processes: number): string[] {
  const bounds: Readonly<Record<string, number>> = {
    cpu: limits.cpuSeconds,
    as: limits.addressBytes,
    nproc: processes,
    fsize: limits.fileBytes,
    nofile: limits.openFiles,
    core: 0,
  }
  return Object.entries(bounds).map(([name, most]) => `--${name}=${most}:${most}`)
}
