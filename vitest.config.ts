/**
 * How tests run: real parts, one PostgreSQL for the whole run, and processes that take one file after the other, since a
 * process for each would spend its time on loading what the one before had loaded.
 */
import { defineConfig } from 'vitest/config'

/** What bounds a time or the memory of its process, or makes load: at most one of them for each core. */
const demanding = [
  'test/cli/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/tools/{code,net,mcp}/**/*.test.ts',
  'test/tools/{calculator,web-fetch}.test.ts',
  'test/actors/channel/email/*.test.ts',
  'test/guard/**/*.test.ts',
  'test/actors/turn/guard.test.ts',
  'test/http/admin/{signal-series,conversations/scale,turns/list,auth/sessions}.test.ts',
  'test/http/events/*.test.ts',
  'test/runtime/{process,supervise}/*.test.ts',
  'test/store/{audit-list,embedded}.test.ts',
  'test/web/{conversations-many,log,long-lists,playground}.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-database.ts'],
    setupFiles: process.env['PROPERTY_RUNS'] ? ['test/support/property-runs.ts'] : [],
    pool: 'forks',
    isolate: false,
    // Bounds for what hangs, not for speed: they hold on a machine whose cores others use too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'most',
          include: ['test/**/*.test.ts'],
          exclude: [...demanding, 'test/counterparts/**'],
          // They wait for the database and for browsers half of their time.
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'demanding', include: demanding, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
