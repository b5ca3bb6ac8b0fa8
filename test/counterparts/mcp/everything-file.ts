import { fileURLToPath } from 'node:url'

/** The official server that has an example of everything in the protocol. */
export const everythingFile = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
)
