/** The audit log as a file, with the filters of the page. */
import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { open } from '../../api/call.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useSubmit } from '../../parts/submit.ts'
import { useText } from '../../text/text.ts'
import type { queryOf } from './filters.tsx'
import { auditText } from './text.ts'

const formats = { csv: 'CSV', ndjson: 'NDJSON' } as const

export function useExport(query: ReturnType<typeof queryOf>) {
  const t = useText(auditText)
  const csv = useSubmit(() => save('csv'))
  const ndjson = useSubmit(() => save('ndjson'))
  async function save(format: keyof typeof formats): Promise<void> {
    const response = await open('GET /v1/admin/audit/export', { query: { ...query, format } })
    saveFile(`audit.${format}`, await response.blob())
  }
  const button = (format: keyof typeof formats, { isBusy, submit }: ReturnType<typeof useSubmit>) => (
    <Button
      key={format}
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
      loading={isBusy}
      aria-label={t('exportAs', { format: formats[format] })}
      onClick={() => submit()}
    >
      {formats[format]}
    </Button>
  )
  return { buttons: [button('csv', csv), button('ndjson', ndjson)], error: csv.error ?? ndjson.error }
}
