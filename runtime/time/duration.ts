/** Durations as milliseconds, spelled the way a person says them. */

export const ms = (count: number): number => count
export const seconds = (count: number): number => count * 1_000
export const minutes = (count: number): number => count * 60_000
