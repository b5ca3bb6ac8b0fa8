/** Every tool there is: one line each. */
import { calculator } from './calculator.ts'
import { codeExec } from './code-exec.ts'
import { dbQuery } from './db-query.ts'
import { delegate } from './delegate.ts'
import { filesystemList } from './filesystem-list.ts'
import { filesystemRead } from './filesystem-read.ts'
import { filesystemWrite } from './filesystem-write.ts'
import { httpRequest } from './http-request.ts'
import { openMcpServers } from './mcp/open.ts'
import { messageUser } from './message-user.ts'
import { readResult } from './read-result.ts'
import { timeNow } from './time-now.ts'
import type { Tool, ToolMaker, ToolWorld } from './tool.ts'
import { toolSearch } from './tool-search.ts'
import { webFetch } from './web-fetch.ts'

const makers: readonly ToolMaker[] = [
  httpRequest,
  webFetch,
  filesystemRead,
  filesystemList,
  filesystemWrite,
  dbQuery,
  codeExec,
  timeNow,
  calculator,
  delegate,
  toolSearch,
  messageUser,
  readResult,
]

export interface Toolbox {
  /** What the settings switch on, and what external servers offer now. */
  all(): readonly Tool[]
  close(): Promise<void>
}

export function openToolbox(world: ToolWorld): Toolbox {
  const own = makers.flatMap((make) => make(world) ?? [])
  const servers = openMcpServers(world)
  return {
    all: () => [...own, ...servers.tools()],
    async close() {
      await Promise.all([servers.close(), ...own.map((tool) => tool.close?.())])
    },
  }
}
