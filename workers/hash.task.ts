/** What the hash pool takes, and its limits: two at a time (each costs 19 MiB and a core for some 20 ms), then a short queue. */

export type HashTask = { kind: 'hash'; password: string } | { kind: 'verify'; password: string; hash: string }

export const hashPool = {
  name: 'hash',
  file: new URL('./hash.ts', import.meta.url),
  size: 2,
  queueMax: 64,
  timeoutMs: 10_000,
  memoryMb: 32,
}
