/** A text to be taken elsewhere, with a button that copies it; where the browser forbids that, it can be selected. */
import { Button, Code, CopyButton, Group } from '@mantine/core'
import { sharedWords } from '../text/shared-words.ts'
import { useText } from '../text/text.ts'

export function CopyText({ text, label }: { text: string; label: string }) {
  const t = useText(sharedWords)
  return (
    <div>
      <Code block tabIndex={0} aria-label={label} role="region">
        {text}
      </Code>
      {navigator.clipboard !== undefined && (
        <Group justify="flex-end" mt={4}>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {t(copied ? 'copied' : 'copy')}
              </Button>
            )}
          </CopyButton>
        </Group>
      )}
    </div>
  )
}
