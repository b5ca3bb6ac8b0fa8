/** A text with a button that copies it; it can be selected too. */
import { Code, Group } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <div>
      <Code block tabIndex={0} aria-label={label} role="region">
        {text}
      </Code>
      <Group justify="flex-end" mt={4}>
        <CopyButton text={() => text} />
      </Group>
    </div>
  )
}
