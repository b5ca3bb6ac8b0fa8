/** `GET /v1/admin/about`: version and environment of the service, for reporting a defect or planning an upgrade. */
import { z } from 'zod'
import { serverVersion } from '../../store/postgres/server-version.ts'
import { admin } from '../access.ts'
import { route } from '../route.ts'

export const about = route({
  method: 'GET',
  path: '/v1/admin/about',
  summary: 'Version and environment of the service',
  tag: 'overview',
  access: admin('overview.read'),
  answers: {
    200: z.object({
      version: z.string(),
      licence: z.string().describe('An SPDX identifier.'),
      node: z.string().describe('The version of Node.js.'),
      this_node: z.int().describe('The number of the node that answers.'),
      platform: z.string().describe('Operating system and processor.'),
      database: z.object({ version: z.string(), is_built_in: z.boolean() }),
      uptime_s: z.int().describe('Of this process.'),
      memory_bytes: z.int().describe('Of this process, resident.'),
    }),
  },
  async handle({ app, principal }) {
    return {
      version: app.version,
      licence: 'Apache-2.0',
      node: process.versions.node,
      this_node: app.nodes.node,
      platform: `${process.platform} ${process.arch}`,
      database: {
        version: await serverVersion(app.db, principal.workspaceId),
        is_built_in: !app.settings.get('SERVICE_DATABASE_URL'),
      },
      uptime_s: Math.floor(process.uptime()),
      memory_bytes: process.memoryUsage.rss(),
    }
  },
})
