/** A dialog with a secret that is shown only once: it can be copied or downloaded, and closing the dialog discards it. */

import { Button, Group, Stack } from '@mantine/core'
import { Download } from 'lucide-react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { Banner } from './banner.tsx'
import { CopyText } from './copy-text.tsx'
import { Dialog } from './dialog.tsx'
import { saveFile } from './save-file.ts'

interface OneTimeSecretProps {
  title: string
  /** What to do with it, and that it cannot be shown again. */
  why: string
  /** Names the text for screen readers. */
  label: string
  text: string
  fileName?: string
  onClose(): void
}

export function OneTimeSecret({ title, why, label, text, fileName, onClose }: OneTimeSecretProps) {
  const c = useText(sharedText)
  return (
    <Dialog title={title} onClose={onClose} isFirm>
      <Stack>
        <Banner tone="warn">{why}</Banner>
        <CopyText text={text} label={label} />
        <Group justify="flex-end">
          {fileName !== undefined && (
            <Button
              variant="default"
              leftSection={<Download size={16} aria-hidden />}
              onClick={() => saveFile(fileName, new Blob([`${text}\n`], { type: 'text/plain' }))}
            >
              {c('download')}
            </Button>
          )}
          <Button onClick={onClose} data-autofocus>
            {c('close')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
