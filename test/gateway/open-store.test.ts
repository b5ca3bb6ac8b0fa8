import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openStore } from '../../gateway/open-store.ts'
import { recordingLog } from '../support/recording-log.ts'
import { virtualClock } from '../support/virtual-clock.ts'

test('a data folder that the system refuses is refused with its setting, as an operator can put it right', async () => {
  const belowFile = `${fileURLToPath(import.meta.url)}/data`
  const { log } = recordingLog()
  const opening = openStore(
    { SERVICE_DATA_DIR: belowFile },
    { log, clock: virtualClock(), signal: new AbortController().signal },
  )
  await expect(opening).rejects.toMatchObject({
    code: 'embedded_refused',
    message: expect.stringMatching(/ENOTDIR.*: set SERVICE_DATA_DIR to a folder that this user may write to$/),
  })
})
