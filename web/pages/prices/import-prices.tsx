/** Imports prices from a file, all or none, in addition to those that are there or in place of them. */
import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { toast } from '../../parts/toast.tsx'
import { useText } from '../../text/text.ts'
import type { NewPrice } from './price.ts'
import { pricesText } from './text.ts'

/** What the service takes in one request. */
const fileBytesMax = 4_000_000

export default function ImportDialog({ onClose }: { onClose(): void }) {
  const t = useText(pricesText)
  const queries = useQueryClient()
  const [prices, setPrices] = useState<NewPrice[]>()
  const [problem, setProblem] = useState<'wrongFile' | 'tooLarge'>()
  const [replace, setReplace] = useState(false)
  const { error, isBusy, submit } = useSubmit(async () => {
    if (!prices) return
    const { added } = await call('POST /v1/admin/prices/import', { body: { prices, replace } })
    await queries.invalidateQueries({ queryKey: ['prices'] })
    toast({ title: t('imported', { n: added }) })
    onClose()
  })
  async function read(file: File | undefined): Promise<void> {
    setPrices(undefined)
    setProblem(undefined)
    if (!file) return
    if (file.size > fileBytesMax) return setProblem('tooLarge')
    // A file that was moved meanwhile, or may not be read.
    const text = await file.text().catch(() => '')
    const found = pricesIn(text)
    if (found) setPrices(found)
    else setProblem('wrongFile')
  }
  return (
    <Dialog title={t('importTitle')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            type="file"
            accept=".json,application/json"
            label={t('file')}
            description={t('fileHint')}
            required
            error={problem && t(problem)}
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
          {prices && <Text role="status">{t('found', { n: prices.length })}</Text>}
          <Checkbox
            label={t('replace')}
            description={t('replaceHint')}
            checked={replace}
            onChange={(event) => setReplace(event.currentTarget.checked)}
          />
          <ErrorPanel error={error} />
          <FormButtons action={t('importAll')} isBusy={isBusy} isDisabled={!prices} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** What a price has to be is judged by the service, which says which of them is wrong. @returns undefined: not such a file */
function pricesIn(text: string): NewPrice[] | undefined {
  try {
    const { prices } = JSON.parse(text) as { prices?: unknown }
    return Array.isArray(prices) ? prices : undefined
  } catch {
    return undefined
  }
}
