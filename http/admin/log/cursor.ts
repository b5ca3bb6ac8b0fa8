/** A place in the log of all nodes: of each node the line that was read last. */
import { z } from 'zod'

export type LogCursor = ReadonlyMap<number, number>

const nodesMax = 200

/** `12-345.13-99`: behind line 345 of node 12 and line 99 of node 13. A node that is not named has not been read yet. */
export const LogCursor = z
  .string()
  .max(8_000)
  .regex(/^\d{1,15}-\d{1,15}(?:\.\d{1,15}-\d{1,15})*$/, 'must be a cursor of an answer')
  .transform((text): LogCursor => {
    const places = text.split('.').map((place) => place.split('-').map(Number))
    return new Map(places.slice(0, nodesMax).map(([node = 0, line = 0]) => [node, line]))
  })

export const cursorText = (cursor: LogCursor): string => [...cursor].map(([node, line]) => `${node}-${line}`).join('.')
