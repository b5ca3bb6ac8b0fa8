/** A secret that is shown now and never again: to be copied or downloaded before the dialog is closed, which forgets it. */
import { Alert, Button, Group, Stack } from '@mantine/core'
import { Download } from 'lucide-react'
import { sharedWords } from '../text/shared-words.ts'
import { useText } from '../text/text.ts'
import { CopyText } from './copy-text.tsx'
import { Dialog } from './dialog.tsx'
import { saveFile } from './save-file.ts'

interface ShownOnceProps {
  title: string
  /** What to do with it, and that there is no second look. */
  why: string
  /** Names the text for screen readers. */
  label: string
  text: string
  fileName?: string
  onClose(): void
}

export function ShownOnce({ title, why, label, text, fileName, onClose }: ShownOnceProps) {
  const c = useText(sharedWords)
  return (
    <Dialog title={title} onClose={onClose} isFirm>
      <Stack>
        <Alert color="yellow" variant="light">
          {why}
        </Alert>
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
