/** Metrics in the text exposition format: build, process, connection pools, readiness; nothing about workspaces or requests. */
import { open } from '../access.ts'
import { raw } from '../answer.ts'
import { route } from '../route.ts'

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics for a scraper',
  tag: 'system',
  access: open,
  isAnsweredWhileDraining: true,
  answers: { 200: { contentType: 'text/plain', description: 'Prometheus text exposition format' } },
  async handle({ app }) {
    const { public: registry } = app.metrics
    return raw(200, registry.contentType, await registry.metrics())
  },
})
