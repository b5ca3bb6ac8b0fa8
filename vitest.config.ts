/**
 * How tests run: real parts, one PostgreSQL for the whole run, and processes that take one file after the other, since a
 * process for each would spend its time on loading what the one before had loaded.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './test/support/memory-folder.ts'

/** Begun first, since one of them that is begun last would keep its process busy while the others have nothing to do. */
const longFiles = /\/test\/(faults|cli|package|web|actors\/channel)\//

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [true, false].flatMap((isLong) => sorted.filter(({ moduleId }) => longFiles.test(moduleId) === isLong))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/counterparts/**'],
    globalSetup: ['test/support/global-database.ts'],
    setupFiles: ['test/support/property-runs.ts'],
    env: {
      // Tests start the service some hundred times.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
      TMPDIR: memoryFolder(),
    },
    pool: 'forks',
    isolate: false,
    // They wait for the database, for browsers and for processes half of their time.
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
    // Bounds for what hangs, not for speed: they hold on a machine whose cores others use too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
