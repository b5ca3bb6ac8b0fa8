/**
 * How tests run: real parts, one PostgreSQL for the whole run, and processes that take one file after the other, since a
 * process for each would spend its time on loading what the one before had loaded.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './test/support/memory-folder.ts'

const everything = 'test/**/*.test.ts'
const counterparts = 'test/counterparts/**'
/** Chromium opens the admin UI. */
const inBrowser = 'test/web/**/*.test.ts'
/** The service runs as processes of its own. */
const asProcesses = 'test/{cli,faults,package}/**/*.test.ts'
/** Milliseconds are counted: beside other tests they would be those of the machine. */
const measured = [
  'test/guard/speed.test.ts',
  'test/http/admin/conversations/scale.test.ts',
  'test/http/admin/signal-series.test.ts',
  'test/web/long-lists.test.ts',
]

/** Begun first, since one of them that is begun last would keep its process busy while the others have nothing to do. */
const longFiles = /\/test\/(web\/(every-page|settings)|cli\/settings|package|actors\/channel)/

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [true, false].flatMap((isLong) => sorted.filter(({ moduleId }) => longFiles.test(moduleId) === isLong))
  }
}

interface Suite {
  include: string[]
  exclude?: string[]
  /** They wait for the database, for browsers and for processes half of their time. */
  maxWorkers?: number
  /** Suites of one number run at the same time. */
  groupOrder?: number
}

function suite(name: string, { include, exclude = [], maxWorkers = 4, groupOrder = 0 }: Suite) {
  return {
    extends: true as const,
    test: { name, include, exclude: [counterparts, ...exclude], maxWorkers, sequence: { groupOrder } },
  }
}

export default defineConfig({
  test: {
    projects: [
      suite('parts', { include: [everything], exclude: [inBrowser, asProcesses, ...measured] }),
      suite('processes', { include: [asProcesses] }),
      suite('browser', { include: [inBrowser], exclude: measured }),
      suite('measured', { include: measured, maxWorkers: 1, groupOrder: 1 }),
    ],
    globalSetup: ['test/support/global-database.ts'],
    setupFiles: ['test/support/property-runs.ts'],
    env: {
      // Tests start the service some hundred times.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
      TMPDIR: memoryFolder(),
    },
    pool: 'forks',
    isolate: false,
    sequence: { sequencer: LongFilesFirst },
    // Bounds for what hangs, not for speed: they hold on a machine whose cores others use too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
