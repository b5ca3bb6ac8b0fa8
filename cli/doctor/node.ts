/** Does the service run on this Node.js? */
import { type Finding, failed, ok } from './finding.ts'

export async function checkNode(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major !== 22 || minor < 12) {
    return failed(
      'node',
      `Node.js ${process.version}`,
      'Run it with npm, which brings the right version, or install Node.js 22.12 or a later 22.',
    )
  }
  try {
    await import('../../http/server/http-server.ts')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(
      'node',
      `uWebSockets.js does not load: ${why.slice(0, 200)}`,
      'See docs/uwebsockets.md for supported platforms and other builds.',
    )
  }
  return ok('node', `Node.js ${process.version}, HTTP library loaded`)
}
