/** Rotates a key, with an overlap in which both secrets work. */
import { NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useText } from '../../text/text.ts'
import type { Key } from './key.ts'
import { KeyError } from './key-error.tsx'
import { keysText } from './text.ts'

const overlapHours = [1, 24, 72, 168]

export function Rotate({ of, onMade, onClose }: { of: Key; onMade(key: string): void; onClose(): void }) {
  const t = useText(keysText)
  const [hours, setHours] = useState('24')
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = { id: of.id, overlap_s: Number(hours) * 3_600 }
    onMade((await call('POST /v1/admin/apikeys/rotate', { body })).key)
  })
  return (
    <Dialog title={t('rotateTitle', { name: of.name })} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{t('rotateWhy')}</Text>
          <NativeSelect
            label={t('overlap')}
            value={hours}
            data={[
              { value: '0', label: t('now') },
              ...overlapHours.map((n) => ({ value: String(n), label: t('hours', { n }) })),
            ]}
            onChange={(event) => setHours(event.currentTarget.value)}
          />
          <KeyError error={error} />
          <FormButtons action={t('rotate')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
